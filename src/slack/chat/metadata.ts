// Metadata: the ids on our messages, by which a card or line is found again after a crash. Every app in the channel can read them.
import { z } from "zod"
import type { Face } from "../../domain/face.ts"
import type { Lines, SummaryFace } from "../../flow/ports.ts"
import type { SlackIdentity } from "../directory/identity.ts"
import { METADATA } from "../ids.ts"

const card = z.object({
  event_type: z.literal(METADATA.card),
  event_payload: z.object({ installation: z.string(), case: z.string(), route: z.string() }),
})
const line = z.object({
  event_type: z.literal(METADATA.line),
  event_payload: z.object({ case: z.string(), number: z.number(), lines: z.number().default(1) }),
})

const summary = z.object({
  event_type: z.literal(METADATA.summary),
  event_payload: z.object({ installation: z.string(), route: z.string(), summary: z.string() }),
})

/** Metadata as the Web API takes it. */
export interface Metadata {
  readonly event_type: string
  readonly event_payload: Record<string, string | number>
}

/** A message as history tells it. */
export interface FoundMessage {
  readonly ts?: string | undefined
  readonly bot_id?: string | undefined
  readonly metadata?: unknown
}

/** What stands on a card. */
export function cardMetadata(face: Face): Metadata {
  const { installation, caseId, route, revision } = face
  return { event_type: METADATA.card, event_payload: { installation, case: caseId, route, revision } }
}

/** What stands on a message of a card's thread: the number of its first line, and how many lines it holds. */
export function linesMetadata(face: Face, { first, events }: Lines): Metadata {
  return { event_type: METADATA.line, event_payload: { case: face.caseId, number: first, lines: events.length } }
}

/** What stands on a summary. */
export function summaryMetadata({ installation, route, id }: SummaryFace): Metadata {
  return { event_type: METADATA.summary, event_payload: { installation, route, summary: id } }
}

/** True for the summary of that id, posted by us. */
export function isSummary(message: FoundMessage, face: SummaryFace, identity: SlackIdentity): boolean {
  const parsed = summary.safeParse(message.metadata)
  if (message.bot_id !== identity.bot || !parsed.success) return false
  const { installation, route, summary: id } = parsed.data.event_payload
  return installation === face.installation && route === face.route && id === face.id
}

/** True for the card of a face, posted by us: another app may copy the metadata. */
export function isCardOf(message: FoundMessage, face: Face, identity: SlackIdentity): boolean {
  if (message.bot_id !== identity.bot) return false
  const parsed = card.safeParse(message.metadata)
  if (!parsed.success) return false
  const { installation, case: caseId, route } = parsed.data.event_payload
  return installation === face.installation && caseId === face.caseId && route === face.route
}

/** The numbers of our lines of a case that a message holds; none for any other message. */
export function lineNumbers(message: FoundMessage, face: Face, identity: SlackIdentity): readonly number[] {
  if (message.bot_id !== identity.bot) return []
  const parsed = line.safeParse(message.metadata)
  if (!parsed.success || parsed.data.event_payload.case !== face.caseId) return []
  const { number, lines } = parsed.data.event_payload
  return Array.from({ length: lines }, (_, index) => number + index)
}
