// Details: everything is in it, whole, and it says why this person may or may not decide.

import type { KnownBlock } from "@slack/types"
import { describe, expect, it } from "vitest"
import { untimed } from "../../../src/domain/case/card-model.ts"
import { isRejectable } from "../../../src/domain/case/card-steps.ts"
import { inputsOf } from "../../../src/domain/content/inputs.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import type { Details } from "../../../src/flow/ports/inbound.ts"
import { readNote, targetOf } from "../../../src/slack/views/button-values.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { detailsPagesOf } from "../../../src/slack/views/details-pages.ts"
import { formView } from "../../../src/slack/views/form/vote-form.ts"
import {
  AT,
  aCardModel,
  anApproval,
  aVote,
  changedFrom,
  everyState,
  openStatus,
  PAUSES,
  recorded,
} from "../card-models.ts"
import { labels, viewVerdict, wordsOf } from "../sight.ts"

const allowed = { ok: true, rules: ["prod-data"] } as const
const place = { channel: "C0APPROVALS", ts: "1.2" }
const may = { approve: allowed, reject: allowed, own: null } as const
const asOpened = { place, revealed: false, pageSize: "large", anew: null } as const
const shown = (model: Details["model"], more: Partial<Details> = {}, page = 1) =>
  detailsView({ ...asOpened, details: { ...may, model, ...more }, page, seen: page - 1 })

/** The text of all literal boxes over all pages. */
function allBoxes(model: Details["model"]): string {
  let text = ""
  for (let page = 1; ; page++) {
    const { blocks } = shown(model, {}, page)
    for (const block of blocks as KnownBlock[]) {
      if (block.type !== "rich_text") continue
      for (const part of block.elements) if (part.type === "rich_text_preformatted") text += wordsOf(part)
    }
    if (!labels(blocks).includes("Next")) return text
  }
}

describe("what it shows", () => {
  it.each(PAUSES)("Details of %s are one page that Slack takes", (name) => {
    const view = shown(aCardModel(recorded(name)))

    expect(viewVerdict(view)).toBe("ok")
    expect(labels(view.blocks)).toEqual([
      expect.stringMatching(/^(?:Approve|Fill In…|Enter Result…)$/),
      "Reject",
      "Send Back…",
    ])
  })

  it.each(Object.entries(everyState()))("Details in the state %s show votes only while it is open", (_, model) => {
    const view = shown(model)

    expect(viewVerdict(view)).toBe("ok")
    const open = model.status.kind === "open"
    expect(labels(view.blocks)).toEqual(
      open ? ["Approve", "Reject", "Send Back…"] : isRejectable(model.status) ? ["Reject", "Send Back…"] : [],
    )
  })

  it("R4: an argument of any length stands in it whole, over its pages", () => {
    const body = Array.from({ length: 9_000 }, (_, index) => String(index)).join("&<😀")

    expect(allBoxes(aCardModel(anApproval({ toolArgs: { body }, requirements: null })))).toBe(body)
  })

  it("R4: a name that is too long for a label stands in it whole", () => {
    const name = `run${"_very".repeat(100)}`
    const model = aCardModel(anApproval({ toolName: name, sourceName: `A\n${name}`, requirements: null }))

    expect(wordsOf(shown(model).blocks)).toContain(`Names in full\n · \ntool\n${name}`)
    expect(wordsOf(shown(model).blocks)).toContain(`Names in full\n · \nagent\nA\n${name}`)
  })

  it("the digest stands in it in full, and the rules with their progress", () => {
    const words = wordsOf(shown(aCardModel()).blocks)

    expect(words).toContain(`Digest ${aCardModel().digest}`)
    expect(words).toContain("prod-data\n: \n1 of \n must approve")
    expect(words).toContain("You may approve this: your approval is enough.")
    expect(words.trimEnd()).toMatch(
      /Approval \S+ · Run \S+\nNot known: whether the agent works in a team or a workflow$/,
    )
  })

  it("calls that are done already are named, and no part of the decision", () => {
    const words = wordsOf(shown(aCardModel(recorded("get-pending-team-second-call"))).blocks)

    expect(words).toContain("Done already, not part of this decision\ndelete_user_data")
  })
})

describe("who may do what", () => {
  it("somebody who may not vote sees why, and no button", () => {
    const refusal = { ok: false, refusal: { code: "not-approver" } } as const

    const view = shown(aCardModel(), { approve: refusal, reject: refusal })

    expect(labels(view.blocks)).toEqual([])
    expect(wordsOf(view.blocks)).toContain("You may not decide this. \nYou are not one of the approvers of this.")
  })

  it("R6: the requester may reject, and is told why not approve", () => {
    const view = shown(aCardModel(), { approve: { ok: false, refusal: { code: "requester", rule: "prod-data" } } })

    expect(labels(view.blocks)).toEqual(["Reject", "Send Back…"])
    expect(wordsOf(view.blocks)).toContain("You asked for this yourself")
  })
})

describe("what a press does", () => {
  const two = (have: number) =>
    aCardModel(anApproval(), { status: openStatus(have, 2), rules: [{ name: "prod-data", quorum: 2 }] })
  const several = aCardModel(anApproval(), {
    status: {
      kind: "open",
      progress: [
        { rule: "prod-data", have: 0, need: 1 },
        { rule: "legal", have: 0, need: 1 },
      ],
    },
  })
  const both = { approve: { ok: true, rules: ["prod-data", "legal"] } } as const

  it.each([
    ["the only one of one", aCardModel(), {}, /your approval is enough/],
    ["the first of two", two(0), {}, /others have to approve it, too/],
    ["the second of two", two(1), {}, /yours is the last approval that it needs/],
    ["one under one of two rules", several, {}, /others have to approve it, too/],
    ["one under both of two rules", several, both, /your approval is enough/],
  ] as const)("an approval is told whether it is the last: %s", (_, model, more, words) => {
    expect(wordsOf(shown(model, more).blocks)).toMatch(words)
  })

  it("who approved already may take that back or reject it, and is offered nothing that they did", () => {
    const view = shown(two(1), { own: "approve" })

    expect(labels(view.blocks)).toEqual(["Reject", "Send Back…", "Withdraw My Vote"])
    expect(wordsOf(view.blocks)).toContain("You approved this already. \nOne more is needed.\n You may take that back")
  })

  it("who filled something in may do so anew", () => {
    const view = shown(aCardModel(recorded("get-pending-user-input"), { status: openStatus(1, 2) }), { own: "approve" })

    expect(labels(view.blocks)).toEqual(["Fill In…", "Reject", "Send Back…", "Withdraw My Vote"])
    expect(wordsOf(view.blocks)).toContain("You may change what you filled in.")
  })

  it("who rejected what is held may take that back", () => {
    const view = shown(everyState()["held"] ?? aCardModel(), { own: "reject" })

    expect(labels(view.blocks)).toEqual(["Withdraw My Vote"])
    expect(wordsOf(view.blocks)).toContain("You rejected this. You may take that back here.")
  })
})

describe("what changed", () => {
  const before = anApproval({ toolArgs: { amount: 5, password: "hunter1" }, requirements: null })
  const now = anApproval({ toolArgs: { amount: 6, password: "hunter2" }, requirements: null })
  const model = aCardModel(now, { changed: changedFrom(before, now), look: { ...plainLook, mask: ["password"] } })

  it("old and new stand side by side, and what is masked stays masked in both", () => {
    const words = wordsOf(shown(model).blocks)

    expect(words).toContain("Before · amount\n5")
    expect(words).toContain("Now · amount\n6")
    expect(words).toContain("A masked value is different, too.")
    expect(words).not.toMatch(/hunter/)
  })

  it("they stand on the first page alone, and masked values with the others once they are revealed", () => {
    const revealed = detailsView({ ...asOpened, revealed: true, details: { ...may, model }, page: 1, seen: 0 })
    const long = anApproval({ toolArgs: { body: "x".repeat(180_000) }, requirements: null })
    const second = shown(aCardModel(long, { changed: changedFrom(before, long) }), {}, 2)

    expect(wordsOf(revealed.blocks)).toContain("Now · password\nhunter2")
    expect(wordsOf(second.blocks)).toContain("Page 2 of")
    expect(wordsOf(second.blocks)).not.toContain("Before")
  })
})

describe("pages", () => {
  const long = aCardModel(anApproval({ toolArgs: { body: "x".repeat(180_000) }, requirements: null }))

  it("a page beyond the next unseen one is not shown", () => {
    const view = detailsView({ ...asOpened, details: { ...may, model: long }, page: 4, seen: 1 })

    expect(wordsOf(view.blocks)).toContain("Page 2 of 4")
    expect(labels(view.blocks)).not.toContain("Approve")
  })

  it.each([
    ["lines", `${"x".repeat(79)}\n`.repeat(2_500)],
    ["one line", "x".repeat(200_000)],
    [
      "JSON",
      JSON.stringify(
        Array.from({ length: 4_400 }, (_, id) => ({ id, name: `customer ${id}` })),
        null,
        1,
      ),
    ],
    ["letters beyond ASCII", "漢字".repeat(33_333)],
  ])("an argument of 200 kB is a few pages: %s", (_what, text) => {
    expect(Math.round(Buffer.byteLength(text) / 10_000)).toBe(20)
    expect(
      detailsPagesOf(aCardModel(anApproval({ toolArgs: { text }, requirements: null })), "large").length,
    ).toBeLessThanOrEqual(8)
  })

  it("the note says what the view is about and where it came from", () => {
    expect(readNote(shown(long).private_metadata)).toEqual({ target: targetOf(long), verb: null, place })
  })
})

it.each(["approve", "reject"] as const)("the form for a reason to %s names what will happen", (verb) => {
  const reason = { required: true, choices: [] }
  const form = { model: aCardModel(), inputs: { fields: [], result: [] }, reason, earlier: null }
  const view = formView({ target: targetOf(aCardModel()), verb, place }, verb, form)

  expect(viewVerdict(view)).toBe("ok")
  expect(view.submit?.text.toLowerCase()).toBe(verb)
  expect(readNote(view.private_metadata)).toMatchObject({ verb, target: targetOf(aCardModel()) })
})

it("who answers for a result after another person is asked to confirm it, not to run the call again", () => {
  const approval = recorded("get-pending-external-execution")
  const model = aCardModel(approval, { votes: [aVote({ values: { result: "up again" } })] })
  const form = { model, inputs: inputsOf(approval), reason: null, earlier: { result: "up again" } }

  const view = formView({ target: targetOf(model), verb: "approve", place }, "approve", form)

  expect(view.title.text).toBe("Confirm Result")
  expect(JSON.stringify(view.blocks)).toContain("do not run it again")
})

it.each([
  ["get-pending-user-input", "Fill In and Approve", "Approve"],
  ["get-pending-external-execution", "Enter Result", "Send Result"],
])("the form of %s is named after what it asks for, and says who must agree and by when", (name, title, submit) => {
  const model = aCardModel(recorded(name), { time: { ...untimed, decideBy: AT } })
  const form = { model, inputs: inputsOf(recorded(name)), reason: null, earlier: null }

  const view = formView({ target: targetOf(model), verb: "approve", place }, "approve", form)

  expect([view.title.text, view.submit?.text]).toEqual([title, submit])
  expect(wordsOf(view.blocks)).toMatch(/decide by [^]*must (?:fill in|run it)/)
})
