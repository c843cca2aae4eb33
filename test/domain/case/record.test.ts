// The parts of a case's record whose types stand elsewhere: the compiler compares each schema with its type.
import { expectTypeOf, test } from "vitest"
import type { z } from "zod"
import type { Revision } from "../../../src/domain/case/case.ts"
import type * as parts from "../../../src/domain/case/record/parts.ts"
import type { Approval } from "../../../src/domain/content/approval.ts"
import type { Frozen } from "../../../src/domain/content/record/frozen.ts"
import type { News } from "../../../src/domain/fingerprint/news.ts"
import type { Reservation } from "../../../src/domain/limit/sum.ts"
import type { LimitReading } from "../../../src/domain/policy/limit-reading.ts"
import type { Look } from "../../../src/domain/policy/look.ts"
import type { CaseTime } from "../../../src/domain/policy/timing.ts"
import type { Circumstances } from "../../../src/domain/policy/when.ts"

type Read<Schema extends z.ZodType> = Frozen<z.infer<Schema>>

// A key that only one of both has, or has in another form, is an error of the compiler: `npm run check` finds it.
test("what is kept of a case is what its types say", () => {
  expectTypeOf<Read<typeof parts.approvalSchema>>().toEqualTypeOf<Frozen<Approval>>()
  expectTypeOf<Read<typeof parts.lookSchema>>().toEqualTypeOf<Frozen<Look>>()
  expectTypeOf<Read<typeof parts.limitsSchema>>().toEqualTypeOf<Frozen<readonly LimitReading[]>>()
  expectTypeOf<Read<typeof parts.newsSchema>>().toEqualTypeOf<Frozen<News>>()
  expectTypeOf<Read<typeof parts.timeSchema>>().toEqualTypeOf<Frozen<CaseTime>>()
  expectTypeOf<Read<typeof parts.reservedSchema>>().toEqualTypeOf<Frozen<Reservation>>()
  expectTypeOf<NonNullable<Revision["circumstances"]>>().toEqualTypeOf<Frozen<Circumstances>>()
})
