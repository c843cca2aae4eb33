// Values of buttons and notes of views: what they are about (R18). If a value has any other form, we refuse it.
import { z } from "zod"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Target } from "../../flow/ports/interaction.ts"
import { jsonOf } from "../transport/json-of.ts"

/** How much of the digest a button carries. */
const digestUnits = 16

const tuple = z.tuple([
  z.literal("cs1"),
  z.string().min(1).max(63),
  z.string().regex(/^[0-9a-f]{20}$/),
  // Empty if the case has no route; only lists and Details show such a case.
  z.string().regex(/^(?:(?:channel|person):[A-Z0-9]{1,30})?$/),
  z.int().min(0),
  z.string().regex(/^[0-9a-f]{16}$/),
  z.int().min(0),
  z.int().min(0),
])
const viewNote = z.object({
  target: z.string(),
  verb: z.enum(["approve", "reject"]).nullable(),
  /** Set for a form that calls a request back. */
  calledBack: z.literal(true).exactOptional(),
  /** Set for a form that breaks the glass. */
  glass: z.literal(true).exactOptional(),
  /** Set for a form that sends the case back. */
  sendBack: z.literal(true).exactOptional(),
  /** The card that the view was opened from. */
  place: z.strictObject({ channel: z.string().min(1), ts: z.string().min(1) }).nullable(),
  /** The summary (its route) under review, and how many waiting cases come after this one. */
  walk: z.strictObject({ route: z.string(), left: z.int().min(0) }).exactOptional(),
  /** Where we answer a form, which closes when it is sent: on the message, or in the view below it. */
  answer: z
    .union([
      z.strictObject({ responseUrl: z.string().min(1), channel: z.string().min(1) }),
      z.strictObject({ below: z.string().min(1) }),
    ])
    .exactOptional(),
})
const reviewPoint = z.tuple([
  z.literal("cs1-walk"),
  z.string().regex(/^(?:channel|person):[A-Z0-9]{1,30}$/),
  z
    .string()
    .regex(/^[0-9a-f]{20}$/)
    .nullable(),
])

/** What a button of this card model is about. */
export function targetOf(model: CardModel): Target {
  const { installation, caseId, route, revision, digest, bound } = model
  return { installation, caseId, route, revision, digest: digest.slice(0, digestUnits), bound }
}

/** The target as a button's value, at most 200 characters. */
export function writeTarget(target: Target): string {
  const { installation, caseId, route, revision, digest, bound } = target
  return JSON.stringify(["cs1", installation, caseId, route, revision, digest, bound.era, bound.count])
}

/** The target of a button's value, or null for anything that `writeTarget` did not make. */
export function readTarget(value: unknown): Target | null {
  const parsed = tuple.safeParse(jsonOf(value))
  if (!parsed.success) return null
  const [, installation, caseId, route, revision, digest, era, count] = parsed.data
  return { installation, caseId, route, revision, digest, bound: { era, count } }
}

/** What a view remembers between two clicks. Slack stores it, and only the app can write it. */
export type ViewNote = Omit<z.infer<typeof viewNote>, "target"> & { readonly target: Target }

/** Where the review of a summary is: after this case; null before the first. */
export interface ReviewPoint {
  readonly route: string
  readonly at: string | null
}

/** The point as a button's value. */
export function writeReviewPoint({ route, at }: ReviewPoint): string {
  return JSON.stringify(["cs1-walk", route, at])
}

/** The review point in a button's value, or null for anything that `writeReviewPoint` did not make. */
export function readReviewPoint(value: unknown): ReviewPoint | null {
  const parsed = reviewPoint.safeParse(jsonOf(value))
  return parsed.success ? { route: parsed.data[1], at: parsed.data[2] } : null
}

/** The note as `private_metadata`, below 1,000 characters. */
export function writeNote(note: ViewNote): string {
  return JSON.stringify({ ...note, target: writeTarget(note.target) })
}

/** The note of a view's `private_metadata`, or null for anything else. */
export function readNote(value: unknown): ViewNote | null {
  const parsed = viewNote.safeParse(jsonOf(value))
  if (!parsed.success) return null
  const target = readTarget(parsed.data.target)
  return target === null ? null : { ...parsed.data, target }
}
