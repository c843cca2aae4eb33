// What a test reads off a rendered message or view: its words, its buttons, and whether Slack would take it.
import type { KnownBlock } from "@slack/types"
import { validateMessage, validateView } from "../../src/blockkit/validate.ts"

/** All text of blocks, in order, each text element on a line of its own. */
export function wordsOf(part: unknown): string {
  return textsOf(part).join("\n")
}

function textsOf(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(textsOf)
  if (typeof part !== "object" || part === null) return []
  return Object.entries(part).flatMap(([key, value]) => {
    if (typeof value === "string") return key === "text" || key === "user_id" ? [value] : []
    return textsOf(value)
  })
}

/** The labels of all buttons, in order. */
export function labels(blocks: readonly unknown[]): readonly string[] {
  return buttonsOf(blocks as KnownBlock[]).map((button) => button.text.text)
}

/** All buttons in actions blocks. */
export function buttonsOf(blocks: readonly KnownBlock[]) {
  return blocks.flatMap((block) =>
    block.type === "actions" ? block.elements.flatMap((element) => (element.type === "button" ? [element] : [])) : [],
  )
}

/** What Slack would say of a message: "ok", or its error with the places. */
export function messageVerdict(message: { readonly text: string; readonly blocks: readonly object[] }): string {
  return verdict(validateMessage(message))
}

/** What Slack would say of a view. */
export function viewVerdict(view: unknown): string {
  return verdict(validateView(view))
}

function verdict(checked: ReturnType<typeof validateMessage> | ReturnType<typeof validateView>): string {
  return checked.ok
    ? "ok"
    : `${checked.code}: ${checked.errors.map((one) => `${one.pointer} ${one.message}`).join("; ")}`
}
