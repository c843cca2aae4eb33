// The shape of a value that we keep: a schema that leaves a key out would lose it, or read nothing that has it.
import type { z } from "zod"

/** A schema for each key of a type, those that may be absent too. */
export type Shape<Value> = Readonly<Record<keyof Value, z.ZodType>>
