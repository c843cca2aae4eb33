// What a case's record keeps of its run and of what stands around it, declared once: the types of `content` follow.
import { z } from "zod"
import { text, textOrNull } from "./values.ts"

/** The schema of `RunAddress`. */
export const addressSchema = z.object({
  runner: z.enum(["agents", "teams", "workflows"]),
  /** The id of the agent, team or workflow. */
  component: text,
  sessionId: text,
  runId: text,
})

/** The schema of `RunOrigin`. */
export const originSchema = z.object({ place: z.object({ channel: text, ts: text }), link: textOrNull })

/** The schema of `RunReport`. */
export const reportedSchema = z.object({
  status: z.enum(["COMPLETED", "CANCELLED", "ERROR"]),
  /** False for an ERROR that the run itself does not bear out: anybody's failed continue writes that. */
  over: z.boolean(),
  /** What ran although nobody had decided, a sentence each; absent if nothing did, or if nobody could look. */
  ran: z.array(text).exactOptional(),
})

/** The schema of `WorkflowPlace`. */
export const workflowPlaceSchema = z.object({
  id: text,
  /** Null where the platform gives the id alone. */
  name: textOrNull,
  step: textOrNull,
})

/** The schema of `Surroundings`. */
export const surroundingsSchema = z.object({
  /** True once we could read its session: then what is missing below is not just unread. */
  seen: z.boolean(),
  /** The team whose member makes the call, by its id; null if there is none, or nobody could tell. */
  team: textOrNull,
  /** The step of a workflow that it belongs to, if its own record does not say so. */
  workflow: workflowPlaceSchema.exactOptional(),
  /** True if its run is a workflow's, which the platform continues whatever is decided here. */
  unenforced: z.boolean(),
})
