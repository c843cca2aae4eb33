// Checks messages and views against Slack's limits before Slack does. The renderer, the tests and the sandbox use it.
import { z } from "zod"
import { type Block, messageBlock } from "./blocks.ts"
import { type BlockError, errorsOf } from "./issues.ts"
import { blockLimits } from "./limits.ts"
import { checkRules } from "./rules.ts"
import { sentBytes, textUnits } from "./totals.ts"
import { type ViewDefinition, view } from "./view.ts"

/** The error code with which Slack's method would answer. */
export type BlockErrorCode =
  | "no_text"
  | "msg_too_long"
  | "msg_blocks_too_long"
  | "invalid_blocks"
  | "invalid_metadata_format"
  | "view_too_large"

/** What is wrong with a message or view. */
export interface BlockRefusal {
  readonly ok: false
  readonly code: BlockErrorCode
  readonly errors: readonly BlockError[]
}

/** A message that passed the check. */
export interface CheckedMessage {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly metadata: MessageMetadata | undefined
}

/** What an app adds to a message for machines; `event_type` has at most 50 characters. */
export type MessageMetadata = z.infer<typeof metadata>

const metadata = z.strictObject({
  event_type: z.string().min(1).max(blockLimits.metadataEventType),
  event_payload: z.record(z.string(), z.unknown()),
})
const message = z.object({
  text: z.string().optional(),
  blocks: z.array(messageBlock).max(blockLimits.blocksPerMessage).optional(),
  metadata: metadata.optional(),
})

/**
 * Checks a message's `text`, `blocks` and `metadata`; the method checks the other keys. Returns the checked message, or
 * Slack's error code with all errors found. Limits: `limits.ts`.
 */
export function validateMessage(
  input: unknown,
): { readonly ok: true; readonly message: CheckedMessage } | BlockRefusal {
  const parsed = message.safeParse(input)
  if (!parsed.success) {
    const errors = errorsOf(parsed.error.issues)
    const inMetadata = errors.every((error) => error.pointer.startsWith("/metadata"))
    return refusal(inMetadata ? "invalid_metadata_format" : "invalid_blocks", errors)
  }
  const { text = "", blocks = [], metadata } = parsed.data
  return checkText(text, blocks) ?? checkBlocks(blocks) ?? { ok: true, message: { text, blocks, metadata } }
}

/** Checks a modal or Home tab as sent to a `views` method. Returns the checked view, or what is wrong with it. */
export function validateView(input: unknown): { readonly ok: true; readonly view: ViewDefinition } | BlockRefusal {
  const parsed = view.safeParse(input)
  if (!parsed.success) return refusal("invalid_blocks", errorsOf(parsed.error.issues))
  const errors = checkRules(parsed.data.blocks)
  if (errors.length > 0) return refusal("invalid_blocks", errors)
  if (parsed.data.type === "modal" && needsSubmit(parsed.data.blocks) && !parsed.data.submit) {
    const message = "required when an input block is within the blocks"
    return refusal("invalid_blocks", [{ pointer: "/submit", message }])
  }
  if (sentBytes(parsed.data) > blockLimits.viewBytes) {
    return refusal("view_too_large", [{ pointer: "", message: `must be at most ${blockLimits.viewBytes} bytes` }])
  }
  return { ok: true, view: parsed.data }
}

function checkText(text: string, blocks: readonly Block[]): BlockRefusal | undefined {
  if (text === "" && blocks.length === 0) {
    return refusal("no_text", [{ pointer: "/text", message: "must provide text or blocks" }])
  }
  if (text.length <= blockLimits.messageText) return undefined
  const message = `must be less than ${blockLimits.messageText + 1} characters`
  return refusal("msg_too_long", [{ pointer: "/text", message }])
}

function checkBlocks(blocks: readonly Block[]): BlockRefusal | undefined {
  const errors = checkRules(blocks)
  if (blocks.filter((block) => block.type === "table").length > blockLimits.tablesPerMessage) {
    errors.push({ pointer: "/blocks", message: "only one table block is allowed" })
  }
  if (errors.length > 0) return refusal("invalid_blocks", errors)
  const units = textUnits(blocks)
  if (units <= blockLimits.messageTextTotal) return undefined
  const message = `all text together must be at most ${blockLimits.messageTextTotal} characters, is ${units}`
  return refusal("msg_blocks_too_long", [{ pointer: "/blocks", message }])
}

function needsSubmit(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.type === "input")
}

function refusal(code: BlockErrorCode, errors: readonly BlockError[]): BlockRefusal {
  return { ok: false, code, errors }
}
