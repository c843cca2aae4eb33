// The types of a shared config stand in the domain, their schema in the store: the compiler compares the two.

import { expectTypeOf, test } from "vitest"
import type { z } from "zod"
import type { Frozen } from "../../../src/domain/content/record/frozen.ts"
import type { SharedConfig } from "../../../src/domain/policy/shared-config.ts"
import type { sealedSchema } from "../../../src/store/config/shared-config-schema.ts"

test("R16 what is read of a sealed config is a shared config, key by key", () => {
  expectTypeOf<Frozen<z.infer<ReturnType<typeof sealedSchema>>>>().toEqualTypeOf<SharedConfig>()
})
