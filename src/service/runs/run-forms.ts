// The forms that start and continue runs, and the queries that read them.
import { z } from "zod"
import { textBoolean } from "../wire/fields.ts"

/** `POST …/runs`. Other fields are ignored, as by the real service. */
export const startForm = z.object({
  message: z.string(),
  stream: textBoolean(true),
  background: textBoolean(false),
  session_id: z.string().optional(),
  user_id: z.string().optional(),
})

/** `POST …/runs/{run_id}/continue`; one of the last three, by kind of component. */
export const continueForm = z.object({
  session_id: z.string().optional(),
  user_id: z.string().optional(),
  stream: textBoolean(true),
  tools: z.string().optional(),
  requirements: z.string().optional(),
  step_requirements: z.string().optional(),
})

/** `GET …/runs` of a component. */
export const componentRunsQuery = z.object({ session_id: z.string(), status: z.string().optional() })

/** `GET …/runs/{run_id}` of a component. */
export const readRunQuery = z.object({ session_id: z.string().optional() })
