// The slash command end to end, in both modes: the list and its pages, one approval, help, and words that nobody knows.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { commandWords } from "../../../src/slack/text/command-words.ts"
import type { Mode } from "../../sandbox/support.ts"
import { limitMs } from "../../support/limits.ts"
import { aCardModel, anApproval } from "../card-models.ts"
import { labels, wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const words = (sandbox: Sandbox, person: string) => wordsOf(sandbox.openView(person)?.definition.blocks)

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  const type = (sandbox: Sandbox, line: string) => sandbox.command(sandboxCast.rita, sandboxCast.general, line)
  const heard = (sandbox: Sandbox) => sandbox.ephemerals(sandboxCast.rita).at(-1)
  const many = Array.from({ length: 12 }, (_, index) => {
    const approval = anApproval({
      id: `1111${index.toString(16).padStart(2, "0")}11-2222`,
      sourceName: `Agent ${index}`,
    })
    return aCardModel(approval, { caseId: index.toString(16).padStart(20, "a") })
  })

  it.each(["/approvals", "/approvals list", "/approvals LIST all 1"])(
    "%s shows the first page to the asker alone",
    async (line) => {
      const { sandbox } = await anOpenSlackModule(mode, aFlow(...many))

      await type(sandbox, line)
      await sandbox.waitFor(() => heard(sandbox) !== undefined, limit)

      const { blocks = [], text = "" } = heard(sandbox) ?? {}
      expect(text).toMatch(/^\*?12 waiting, the most urgent first.*Page 1 of 3$/s)
      expect(labels(blocks)).toEqual([...Array<string>(5).fill("Details"), "Next"])
      expect(`${text} ${wordsOf(blocks)}`).not.toMatch(/[0-9a-f]{20}/)
      expect(sandbox.messages(sandboxCast.general)).toEqual([])
    },
  )

  it("pages turn in place, and Details opens from the list", async () => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)
    await type(sandbox, "/approvals list 2")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Page 2 of 3"), limit)
    const { channelId: channel = "", ts = "", blocks } = heard(sandbox) ?? {}
    expect(labels(blocks ?? []).slice(-2)).toEqual(["Previous", "Next"])

    await sandbox.click(sandboxCast.rita, { channel, ts }, `${actionIds.list}_next`)
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Page 3 of 3"), limit)
    expect(sandbox.ephemerals(sandboxCast.rita)).toHaveLength(1)
    const last = heard(sandbox)
    await sandbox.click(sandboxCast.rita, { channel, ts: last?.ts ?? "" }, actionIds.details, { blockId: "item1" })
    await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("Agent 11"), limit)

    expect(flow.opens).toMatchObject([{ place: null, caseId: many[11]?.caseId }])
  })

  it("a page beyond the end is the last one; an empty list says so", async () => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals list 99")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Page 3 of 3"), limit)
    flow.models.clear()
    await type(sandbox, "/approvals list")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Nothing waits"), limit)
  })

  it("show finds a case by its id or by the beginning of its approval's", async () => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, `/approvals show ${many[3]?.caseId}`)
    await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("Agent 3"), limit)
    await type(sandbox, "/approvals show 111107")
    await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("Agent 7"), limit)
    await type(sandbox, "/approvals show 1111")
    await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("no approval with that id"), limit)
  })

  it("why under 60 rules is told a page at a time, each of which Slack takes, and nobody is left out", async () => {
    const flow = aFlow(...many)
    const users = Array.from({ length: 50 }, (_, index) => `U${index}`)
    flow.rules = Array.from({ length: 60 }, (_, index) => ({ name: `rule-${index}`, quorum: 1, users, more: 0 }))
    const { sandbox } = await anOpenSlackModule(mode, flow)
    const pages: string[] = []

    for (let line: string | undefined = `/approvals why ${many[3]?.caseId}`; line !== undefined; ) {
      await type(sandbox, line)
      await sandbox.waitFor(() => sandbox.ephemerals(sandboxCast.rita).length > pages.length, limit)
      pages.push(wordsOf(heard(sandbox)?.blocks))
      line = /\/approvals why [0-9a-f]{20} \d+/.exec(pages.at(-1) ?? "")?.[0]
    }

    expect(pages.length).toBeGreaterThan(1)
    for (const { name } of flow.rules) expect(pages.join("\n")).toContain(`${name}\n: 1 approval needed of \nU0`)
    expect(pages.join("\n").split("\nU49").length - 1).toBe(60)
    expect(pages.every((page) => page.includes("You may approve this"))).toBe(true)
  })

  it("an unknown word is answered with the nearest right one, help with five words, and more on asking", async () => {
    const { sandbox } = await anOpenSlackModule(mode, aFlow())

    await type(sandbox, "/approvals lsit <!channel>")
    expect(heard(sandbox)?.text).toContain("I don't know lsit. Did you mean /approvals list?")
    await type(sandbox, "/approvals help")
    expect(heard(sandbox)?.text).toMatch(/^\/approvals list what waits/)
    expect(heard(sandbox)?.text.split("\n")).toHaveLength(5)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}
    await sandbox.click(sandboxCast.rita, { channel, ts }, `${actionIds.list}_more`)
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("/approvals overdue what waits"), limit)
    const all = heard(sandbox)?.text
    await type(sandbox, "/approvals help MORE")
    expect(heard(sandbox)?.text).toBe(all)
    for (const word of commandWords) expect(all).toMatch(new RegExp(`\\b${word}\\b`))
  })

  it("help has a button that opens the guide", async () => {
    const { sandbox } = await anOpenSlackModule(mode, aFlow())
    await type(sandbox, "/approvals help")
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}

    await sandbox.click(sandboxCast.rita, { channel, ts }, actionIds.guide)

    await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("Taking it back"), limit)
  })

  it.each(["show", "approve", "reject"])(
    "%s without an id asks which one, and each leads to its Details",
    async (word) => {
      const flow = aFlow(...many)
      const { sandbox } = await anOpenSlackModule(mode, flow)

      await type(sandbox, `/approvals ${word}`)
      await sandbox.waitFor(() => heard(sandbox)?.text.includes("Which one? 12 waiting"), limit)
      const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}
      await sandbox.click(sandboxCast.rita, { channel, ts }, actionIds.details, { blockId: "item1" })

      await sandbox.waitFor(() => words(sandbox, sandboxCast.rita).includes("Agent 1"), limit)
      expect(flow.opens).toMatchObject([{ place: null, caseId: many[1]?.caseId }])
    },
  )

  it("show without an id says so where nothing waits", async () => {
    const { sandbox } = await anOpenSlackModule(mode, aFlow())

    await type(sandbox, "/approvals show")

    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Which one? Nothing waits"), limit)
  })

  it.each([
    ["list agnt:x", "I don't know agnt:x. Did you mean /approvals list agent:x?"],
    ["history status:aproved", "I don't know status:aproved. Did you mean /approvals history status:approved?"],
    ["count agent:x untl:today", "I don't know untl:today. Did you mean /approvals count until:today?"],
    ["history mine", "I don't know mine. Did you mean /approvals history"],
    ["count status:helt", "I don't know status:helt. Did you mean /approvals count status:held?"],
  ])("%s says which word it did not know, and asks for nothing", async (line, said) => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, `/approvals ${line}`)
    await sandbox.waitFor(() => heard(sandbox)?.text.includes(said), limit)

    expect([flow.asks, flow.pastAsks]).toEqual([[], []])
  })

  it("count counts what its words narrow it to: what waits, or what was decided", async () => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals count team:finance requester:me")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("12 waiting"), limit)
    await type(sandbox, "/approvals count status:approved agent:x")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("12 decided that you may see"), limit)

    const filter = { team: "finance", requestedBy: expect.objectContaining({ user: sandboxCast.rita }) }
    expect(flow.asks).toMatchObject([
      { mine: false, filter },
      { mine: true, filter },
    ])
    expect(flow.pastAsks).toMatchObject([{ filter: { status: "approved", agent: "x" } }])
  })

  it("list requested asks for what the asker asked for", async () => {
    const flow = aFlow()
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals list requested")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Nothing like that waits."), limit)

    expect(flow.asks[0]).toMatchObject({ filter: { requestedBy: { user: sandboxCast.rita } } })
  })

  it("a look that did not come to the end says how far it came, and goes on from there", async () => {
    const flow = aFlow()
    flow.next = 2_000
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals history text:x")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Nothing like that is among the newest 2000"), limit)
    const { channelId: channel = "", ts = "" } = heard(sandbox) ?? {}
    await sandbox.click(sandboxCast.rita, { channel, ts }, `${actionIds.list}_further`)
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Nothing like that was decided"), limit)

    expect(flow.pastAsks).toMatchObject([{ after: 0 }, { after: 2_000, filter: { text: "x" } }])
  })

  it("words that are no filter are searched for; if nothing holds them, the word that may be meant is told", async () => {
    const flow = aFlow()
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals list refund Jane")
    await sandbox.waitFor(() => heard(sandbox)?.text === "Nothing like that waits.", limit)
    await type(sandbox, "/approvals list mien")
    await sandbox.waitFor(() => heard(sandbox)?.text.endsWith("waits. Did you mean /approvals list mine?"), limit)
    await type(sandbox, "/approvals history yestreday")
    await sandbox.waitFor(() => heard(sandbox)?.text.endsWith("Did you mean /approvals history yesterday?"), limit)

    expect(flow.asks).toMatchObject([{ filter: { text: "refund Jane" } }, { filter: { text: "mien" } }])
    expect(flow.pastAsks).toMatchObject([{ filter: { text: "yestreday" } }])
  })

  it("why without an id is about what waits for the asker first, and says how many others wait", async () => {
    const flow = aFlow(...many)
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals why")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("You may approve this"), limit)

    const { text = "" } = heard(sandbox) ?? {}
    expect(text).toContain("“Agent 0”")
    expect(text).toContain("11 other approvals wait. /approvals list shows them")
    flow.models.clear()
    await type(sandbox, "/approvals why")
    await sandbox.waitFor(() => heard(sandbox)?.text === "Nothing waits for a decision that you may see.", limit)
  })

  it.each(["/approvals overdue mine", "/approvals list overdue mine"])("%s asks for what is overdue", async (line) => {
    const flow = aFlow()
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, line)
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Nothing is overdue."), limit)

    expect(flow.asks).toMatchObject([{ mine: true, filter: { overdue: true } }])
  })

  it("a list that cannot be read says so", async () => {
    const flow = aFlow()
    flow.broken = new Error("Redis is down")
    const { sandbox } = await anOpenSlackModule(mode, flow)

    await type(sandbox, "/approvals")
    await sandbox.waitFor(() => heard(sandbox)?.text.includes("something went wrong on our side"), limit)
  })
})
