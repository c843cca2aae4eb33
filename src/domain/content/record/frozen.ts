// Values that nobody changes, as types.
import type { JsonObject } from "../json.ts"

/** A type whose members are read only, however deep. A `JsonObject` is so already, and stays what it is. */
export type Frozen<Value> = Value extends object
  ? JsonObject extends Value
    ? Value
    : { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : Value
