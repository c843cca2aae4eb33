// The types of a shared config stand in the domain, their schema in the store: the compiler compares the two.

import { expectTypeOf, test } from "vitest"
import type { z } from "zod"
import type { SharedConfig } from "../../../src/domain/policy/shared-config.ts"
import type { sealedSchema } from "../../../src/store/config/shared-config-schema.ts"

/** The same type, read-only at any depth. */
type Frozen<Value> = Value extends readonly (infer Member)[]
  ? readonly Frozen<Member>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value

test("R16 what is read of a sealed config is a shared config, key by key", () => {
  expectTypeOf<Frozen<z.infer<ReturnType<typeof sealedSchema>>>>().toEqualTypeOf<SharedConfig>()
})
