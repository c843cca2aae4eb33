// Details: everything is in it, whole, and it says why this person may or may not decide.

import type { KnownBlock } from "@slack/types"
import { describe, expect, it } from "vitest"
import type { Details } from "../../../src/flow/ports/inbound.ts"
import { readNote, targetOf } from "../../../src/slack/views/button-values.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { formView } from "../../../src/slack/views/vote-form.ts"
import { aFace, anApproval, everyState, PAUSES, recorded } from "../faces.ts"
import { labels, viewVerdict, wordsOf } from "../sight.ts"

const allowed = { ok: true, rules: ["prod-data"] } as const
const place = { channel: "C0APPROVALS", ts: "1.2" }
const may = { approve: allowed, reject: allowed, own: null } as const
const asOpened = { place, revealed: false, changed: false }
const shown = (face: Details["face"], more: Partial<Details> = {}, page = 1) =>
  detailsView({ ...asOpened, details: { ...may, face, ...more }, page, seen: page - 1 })

/** The text of all literal boxes over all pages. */
function allBoxes(face: Details["face"]): string {
  let text = ""
  for (let page = 1; ; page++) {
    const { blocks } = shown(face, {}, page)
    for (const block of blocks as KnownBlock[]) {
      if (block.type !== "rich_text") continue
      for (const part of block.elements) if (part.type === "rich_text_preformatted") text += wordsOf(part)
    }
    if (!labels(blocks).includes("Next")) return text
  }
}

describe("what it shows", () => {
  it.each(PAUSES)("Details of %s are one page that Slack takes", (name) => {
    const view = shown(aFace(recorded(name)))

    expect(viewVerdict(view)).toBe("ok")
    expect(labels(view.blocks)).toEqual([expect.stringMatching(/^(?:Approve|Fill In…|Enter Result…)$/), "Reject"])
  })

  it.each(Object.entries(everyState()))("Details in the state %s show votes only while it is open", (_, face) => {
    const view = shown(face)

    expect(viewVerdict(view)).toBe("ok")
    const { kind } = face.status
    expect(labels(view.blocks)).toEqual(
      kind === "open" ? ["Approve", "Reject"] : kind === "unapprovable" ? ["Reject"] : [],
    )
  })

  it("R4: an argument of any length stands in it whole, over its pages", () => {
    const body = Array.from({ length: 9_000 }, (_, index) => String(index)).join("&<😀")

    expect(allBoxes(aFace(anApproval({ toolArgs: { body }, requirements: null })))).toBe(body)
  })

  it("R4: a name that is too long for a label stands in it whole", () => {
    const name = `run${"_very".repeat(100)}`
    const face = aFace(anApproval({ toolName: name, sourceName: `A\n${name}`, requirements: null }))

    expect(wordsOf(shown(face).blocks)).toContain(`Names in full\n · \ntool\n${name}`)
    expect(wordsOf(shown(face).blocks)).toContain(`Names in full\n · \nagent\nA\n${name}`)
  })

  it("the digest stands in it in full, and the rules with their progress", () => {
    const words = wordsOf(shown(aFace()).blocks)

    expect(words).toContain(`Digest ${aFace().digest}`)
    expect(words).toContain("prod-data\n: \n1 of \n must approve")
    expect(words).toContain("You may approve this under rule \nprod-data")
  })

  it("calls that are done already are named, and no part of the decision", () => {
    const words = wordsOf(shown(aFace(recorded("get-pending-team-second-call"))).blocks)

    expect(words).toContain("Done already, not part of this decision\ndelete_user_data")
  })
})

describe("who may do what", () => {
  it("somebody who may not vote sees why, and no button", () => {
    const refusal = { ok: false, refusal: { code: "not-approver" } } as const

    const view = shown(aFace(), { approve: refusal, reject: refusal })

    expect(labels(view.blocks)).toEqual([])
    expect(wordsOf(view.blocks)).toContain("You may not approve this. \nYou are not one of the approvers of this.")
  })

  it("R6: the requester may reject, and is told why not approve", () => {
    const view = shown(aFace(), { approve: { ok: false, refusal: { code: "requester", rule: "prod-data" } } })

    expect(labels(view.blocks)).toEqual(["Reject"])
    expect(wordsOf(view.blocks)).toContain("You asked for this yourself")
  })
})

describe("pages", () => {
  const long = aFace(anApproval({ toolArgs: { body: "x".repeat(30_000) }, requirements: null }))

  it("a page beyond the next unseen one is not shown", () => {
    const view = detailsView({ ...asOpened, details: { ...may, face: long }, page: 4, seen: 1 })

    expect(wordsOf(view.blocks)).toContain("Page 2 of 4")
    expect(labels(view.blocks)).not.toContain("Approve")
  })

  it("the note says what the view is about and where it came from", () => {
    expect(readNote(shown(long).private_metadata)).toEqual({ target: targetOf(long), verb: null, place })
  })
})

it.each(["approve", "reject"] as const)("the form for a reason to %s names what will happen", (verb) => {
  const reason = { required: true, choices: [] }
  const form = { face: aFace(), inputs: { fields: [], result: [] }, reason, earlier: null }
  const view = formView({ target: targetOf(aFace()), verb, place }, verb, form)

  expect(viewVerdict(view)).toBe("ok")
  expect(view.submit?.text.toLowerCase()).toBe(verb)
  expect(readNote(view.private_metadata)).toMatchObject({ verb, target: targetOf(aFace()) })
})
