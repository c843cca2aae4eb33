// What the interface description says about one route.
import type { z } from "zod"
import type { ModelName } from "./models.ts"

/** One success of an operation: a model, an event stream, or nothing. */
export type Success = {
  readonly status: number
  readonly model?: ModelName
  readonly stream?: true
  readonly text?: true
}

/** One operation, beside its route. */
export type Operation = {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly query?: z.ZodObject
  readonly json?: ModelName
  readonly form?: ModelName
  readonly answers: readonly Success[]
  /** Statuses of refusals that can happen beside 401 and 403. */
  readonly refusals?: readonly number[]
}

/** Operations by the key of their row in the route table. */
export type Operations = Readonly<Record<string, Operation>>
