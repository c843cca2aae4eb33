// Hostile input in Details: every page is one that Slack takes, literal, and together they hold everything.

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { visible } from "../../../src/blockkit/text.ts"
import { callsOf } from "../../../src/domain/content/approval.ts"
import { isJsonObject, type Json } from "../../../src/domain/content/json.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import { model, onlyLiteral, patienceMs, runs } from "../hostile.ts"
import { labels, viewVerdict } from "../sight.ts"

describe("for any input", () => {
  it(
    "every page of Details is one that Slack takes, and together they hold every argument whole",
    () => {
      fc.assert(
        fc.property(model, fc.string({ unit: "binary", maxLength: 3_000 }), (one, input) => {
          const details = {
            model: one,
            approve: { ok: true, rules: ["a"] },
            reject: { ok: true, rules: ["a"] },
            own: null,
          } as const
          const boxes: string[] = []
          let more = true
          for (let page = 1; more && page < 200; page++) {
            const opened = { page, seen: page - 1, place: null, revealed: true, pageSize: "large", anew: null } as const
            const view = detailsView({ ...opened, details })
            const request = { kind: "read", input } as const
            for (const shown of [view, detailsView({ ...opened, details: { ...details, request } })]) {
              expect(viewVerdict(shown)).toBe("ok")
              expect(onlyLiteral(shown.blocks)).toBe(true)
            }
            boxes.push(...literalTexts(view.blocks))
            more = labels(view.blocks).includes("Next")
            expect(labels(view.blocks).includes("Approve")).toBe(one.status.kind === "open" && !more)
          }
          expect(more).toBe(false)
          const shown = boxes.join("").replaceAll(/^ *\| /gm, "")
          const leaves =
            one.approval === null ? [] : callsOf(one.approval).flatMap((call) => (call.open ? leavesOf(call.args) : []))
          expect(leaves.filter((ways) => !ways.some((leaf) => shown.includes(leaf)))).toEqual([])
        }),
        runs,
      )
    },
    patienceMs,
  )
})

/** What stands in the literal boxes, in order. */
function literalTexts(within: unknown): readonly string[] {
  if (typeof within !== "object" || within === null) return []
  if ("type" in within && within.type === "rich_text_preformatted" && "elements" in within)
    return [(within.elements as readonly { readonly text: string }[]).map(({ text }) => text).join("")]
  return Object.values(within).flatMap(literalTexts)
}

/** Every text and number in arguments, as it has to be read: a text as it is, or as JSON has it. */
function leavesOf(value: Json): readonly (readonly string[])[] {
  if (typeof value === "string") {
    const lines = value.replaceAll("\r\n", "\n")
    return [[lines, value, JSON.stringify(value)].map((one) => unlikeAMask(visible(one)))]
  }
  if (Array.isArray(value)) return value.flatMap(leavesOf)
  if (isJsonObject(value)) return Object.values(value).flatMap(leavesOf)
  return value === null ? [] : [[JSON.stringify(value)]]
}

/** An agent's own shade must not be taken for a mask of ours: it is named. */
function unlikeAMask(text: string): string {
  return text.replaceAll(/▒+/g, ({ length }) => (length === 1 ? "⟨U+2592⟩" : `⟨${length} × U+2592⟩`))
}
