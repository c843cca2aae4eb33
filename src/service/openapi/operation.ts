// What the interface description says about one route.
import type { z } from "zod"
import type { ModelName } from "./models.ts"

/** One operation, beside its route. */
export interface Operation {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly query?: z.ZodObject
  readonly json?: ModelName
  readonly form?: ModelName
  /** Status of its success; default 200. */
  readonly status?: 200 | 201 | 204
  /** What it answers with, as JSON. */
  readonly model?: ModelName
  /** What it can answer with besides, as text. */
  readonly media?: "text/event-stream" | "text/html"
  /** What it answers with 202. */
  readonly accepted?: ModelName
  /** Statuses of refusals that can happen beside 401 and 403. */
  readonly refusals?: readonly number[]
}

/** Operations by the key of their row in the route table. */
export type Operations = Readonly<Record<string, Operation>>

/** Operations of one tag. */
export function tagged(tag: string, operations: Readonly<Record<string, Omit<Operation, "tag">>>): Operations {
  return Object.fromEntries(Object.entries(operations).map(([pattern, rest]) => [pattern, { ...rest, tag }]))
}
