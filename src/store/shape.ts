// The shape of a value that we keep: a schema that leaves a key out would lose it, or read nothing that has it.
import type { z } from "zod"

/** A schema for each key of a type, those that may be absent too. */
export type Shape<Value> = Readonly<Record<keyof Value, z.ZodType>>

/** The same for the members of a union that have this kind. */
export type OneOf<Union extends { readonly kind: string }, Kind extends Union["kind"]> = Shape<
  Extract<Union, { readonly kind: Kind }>
>
