// What the interface description says of one route.
import type { z } from "zod"

/** One operation, beside its route. Models are named as in the description. */
export interface Operation<Name extends string = string> {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly query?: z.ZodObject
  readonly json?: Name
  readonly form?: Name
  /** A form that may carry a file. */
  readonly upload?: Name
  /** True: the body may be left out. */
  readonly mayBeEmpty?: true
  /** Status of its success; default 200. */
  readonly status?: 200 | 201 | 202 | 204
  /** What it answers with, as JSON. */
  readonly model?: Name
  /** What it can answer with besides, as text. */
  readonly media?: "text/event-stream" | "text/html"
  /** What it answers with 202. */
  readonly accepted?: Name
  /** Statuses of refusals beside those of its kind: 401, 403; 404 of a path with ids; 400 of a form; 422. */
  readonly refusals?: readonly number[]
  /** What refusals but 422 answer with; default `Refusal`. */
  readonly refused?: Name
}

/** Operations by the key of their row in the route table. */
export type Operations = Readonly<Record<string, Operation>>

/** Models by their name in the description. */
export type Models = Readonly<Record<string, z.ZodType>>
