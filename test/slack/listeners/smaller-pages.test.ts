// Pages of Details that Slack finds too large: smaller ones are drawn, and those that were opened count no more.

import { expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { limitMs } from "../../support/limits.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const person = sandboxCast.alice
/** Three pages of Details, or many small ones. */
const long = aCardModel(anApproval({ toolArgs: { body: "x".repeat(120_000) }, requirements: null }))
const anew = "Slack does not take pages of this size. They are smaller now; please open all of them again."

async function aLongCard() {
  const flow = aFlow(long)
  const { sandbox, slack, log } = await anOpenSlackModule("socket", flow)
  const place = await slack.chat.postCard(long)
  const viewId = () => sandbox.openView(person)?.id ?? ""
  const blocks = () => sandbox.openView(person)?.definition.blocks ?? []
  const words = () => wordsOf(blocks())
  const shows = (text: string) => sandbox.waitFor(() => words().includes(text), limit)
  const open = () => sandbox.click(person, place, actionIds.details)
  const next = () => sandbox.click(person, viewId(), `${actionIds.page}_next`)
  const refuse = (error: string) => sandbox.faults.web("views.update", { kind: "error", error })
  return { flow, slack, log, viewId, blocks, words, shows, open, next, refuse }
}

it.each(["view_too_large", "invalid_arguments", "msg_blocks_too_long"])(
  "R4 after Slack's word %s Details have smaller pages, and the last of these carries the approval",
  async (word) => {
    const { flow, log, blocks, words, shows, open, next, refuse } = await aLongCard()
    refuse(word)

    await open()
    await shows("Page 1 of")

    const pages = Number(/Page 1 of (\d+)/.exec(words())?.[1])
    expect(pages).toBeGreaterThan(10)
    expect(words()).not.toContain(anew)
    expect(flow.opens.at(-1)).toMatchObject({ pageSize: "small", pagesOpened: 1 })
    expect(log.lines.map(({ event }) => event)).toContain("details-drawn-smaller")
    for (let page = 2; page <= pages; page++) {
      expect(labels(blocks())).not.toContain("Approve")
      await next()
      await shows(`Page ${page} of ${pages}`)
    }
    expect(labels(blocks())).toEqual(["Previous", "Approve", "Reject", "Send Back…"])
    expect(flow.opens.at(-1)).toMatchObject({ pageSize: "small", pagesOpened: pages })
  },
)

it("R4 if a later page is too large, all pages have to be opened anew, and the view says why", async () => {
  const { flow, blocks, shows, open, next, refuse } = await aLongCard()
  await open()
  await shows("Page 1 of 3")
  refuse("view_too_large")

  await next()
  await shows(anew)

  expect(flow.opens.at(-1)).toMatchObject({ pageSize: "small", pagesOpened: 1 })
  expect(labels(blocks())).toEqual(["Next", "Reject", "Send Back…"])
})

it("pages that Slack refuses in both sizes, or for another reason, are told as a failure", async () => {
  const { flow, shows, open, refuse } = await aLongCard()
  refuse("view_too_large")
  refuse("view_too_large")
  await open()
  await shows("Slack refuses")
  refuse("not_found")

  await open()
  await shows("not_found")

  expect(flow.opens.map(({ pageSize }) => pageSize)).toEqual(["large", "small", "large"])
})

it("an answer is told without the pages below it if those are too large", async () => {
  const { slack, viewId, words, shows, open, refuse } = await aLongCard()
  await open()
  await shows("Page 1 of 3")
  refuse("view_too_large")
  const may = { ok: true, rules: ["prod-data"] } as const
  const details = { model: long, approve: may, reject: may, own: null }
  const to = { kind: "view", viewId: viewId(), user: person } as const

  await slack.chat.answer(to, { kind: "unseen" }, { details, place: null, pageSize: "large" })

  expect(words()).not.toContain("Page 1")
  expect(words()).toContain("Not everything that would run was shown where you approved this")
})
