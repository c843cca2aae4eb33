// What a case's record keeps of the run that we continue.
import { z } from "zod"
import { addressSchema } from "../../content/record/run-parts.ts"
import { number, text, textOrNull } from "../../content/record/values.ts"
import { stopNoteSchema } from "./stop-note.ts"

/** The schema of `RunEnd`. */
export const runEndSchema = z.object({
  /**
   * `paused`: it waits for its next approval. `unasked`: it paused again, and nobody is asked. `forked`: another run
   * answered. `refused`: the platform did not continue it. `unknown`: nobody can tell.
   */
  kind: z.enum(["completed", "failed", "cancelled", "paused", "unasked", "forked", "refused", "unknown"]),
  by: z.enum(["us", "others"]),
  detail: textOrNull,
  /** What did not run as it was decided, one sentence for each difference. */
  deviations: z.array(text),
  /** The tools that ran as they were approved, although the run was cancelled or failed; absent if none did. */
  ran: z.array(text).exactOptional(),
})

/** The schema of `Continue`. */
export const continueSchema = z.object({
  /** When we sent the continue, by the clock that all replicas share (epoch ms). */
  at: number,
  address: addressSchema,
  /** The ids of the calls that waited at that moment. */
  calls: z.array(text),
  /** True once we sent it again with `background=true`, as the durable queue demands. */
  background: z.boolean(),
  /** What the platform answered, if that did not say how the run ended; else null. */
  said: textOrNull,
  /** True once the connection broke before the answer: the platform's process may be gone. Absent: it did not break. */
  broken: z.literal(true).exactOptional(),
  /** What we mask in the run's answer, if a rule wants that sent to the requester; else absent. */
  answerMask: z.array(text).exactOptional(),
  /** True if this continue refuses a second pause, one that asks nobody; absent for the first continue. */
  refusing: z.literal(true).exactOptional(),
})

/** The schema of `Wait`. */
export const waitSchema = z.object({
  misses: number,
  beside: number,
  /** Links to the cards of the first pending approvals; absent if none is known. */
  links: z.array(text).exactOptional(),
})

/** What stays true of a waiting run however often we look at it. */
const waiting = z.object({
  kind: z.literal("waiting"),
  since: number,
  /** We continued the run, and it paused again without asking. We refuse what it waits for now, once. */
  refusing: z.literal(true).exactOptional(),
  /** Redis lost its last second, and may have forgotten that the run was continued already (R17). */
  doubtful: z.literal(true).exactOptional(),
  /** The stop that kept the run from going on, also after its end (R21). Absent if none did. */
  stopped: stopNoteSchema.exactOptional(),
})

/** The schema of `Withheld`. */
export const withheldSchema = z.object({
  why: text,
  nobody: z.literal(true).exactOptional(),
  late: z.literal(true).exactOptional(),
})

/** An answer that we send to the requester: where we read it, and what the rules of the paused calls mask. */
const sentAnswer = z.object({ address: addressSchema, mask: z.array(text) })

/** The schema of `Resumption`. */
export const resumptionSchema = z.discriminatedUnion("kind", [
  waiting.extend(waitSchema.shape),
  z.object({ kind: z.literal("continuing"), sent: continueSchema }),
  /** `answer`: the run whose answer we send to the requester, and what we mask in it. Absent if we send none. */
  z.object({ kind: z.literal("ended"), at: number, end: runEndSchema, answer: sentAnswer.exactOptional() }),
  withheldSchema.extend({ kind: z.literal("withheld"), at: number }),
])
