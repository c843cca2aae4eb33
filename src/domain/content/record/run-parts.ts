// What a case's record keeps of its run and the run's surroundings, declared once: the types of `content` follow.
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
  /** False for an ERROR that the run itself does not confirm: if anybody's continue fails, the record says ERROR. */
  over: z.boolean(),
  /** What ran before anybody decided, one sentence each; absent if nothing ran, or if nobody could look. */
  ran: z.array(text).exactOptional(),
})

/** The schema of `WorkflowPlace`. */
export const workflowPlaceSchema = z.object({
  id: text,
  /** Null if the platform gives the id alone. */
  name: textOrNull,
  step: textOrNull,
})

/** The schema of `Surroundings`. */
export const surroundingsSchema = z.object({
  /** True once we could read its session. From then on, what is absent below is really missing, not just unread. */
  seen: z.boolean(),
  /** The id of the team whose member makes the call; null if there is none, or if nobody could tell. */
  team: textOrNull,
  /** The step of a workflow that the approval belongs to, if its own record does not say so. */
  workflow: workflowPlaceSchema.exactOptional(),
  /** True if its run is a workflow's: the platform continues such a run, whatever people decide here. */
  unenforced: z.boolean(),
})
