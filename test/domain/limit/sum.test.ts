// Sums over a window: compared with a slow model that keeps each amount with its moment.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { amountAsText, writtenAmount } from "../../../src/domain/limit/amount.ts"
import {
  blinded,
  emptySum,
  isBlind,
  isEmpty,
  type SumState,
  sumName,
  totalOf,
  underWindow,
  withAdded,
  withFreed,
} from "../../../src/domain/limit/sum.ts"

const hour = 3_600_000
const start = 1_800_000_000_000

function total(state: SumState, now: number, whose = "bob"): string {
  return amountAsText(totalOf(state, whose, now))
}

/** Adds an amount; `part` is what takes it away again. */
function added(state: SumState, amount: string, now: number, whose = "bob") {
  const done = withAdded(state, [{ whose, amount: writtenAmount(amount) }], now)
  return { state: done.state, part: { added: done.added, windowMs: state.windowMs } }
}

describe("a sum", () => {
  test("keeps what each owner was given apart", () => {
    const { state } = added(added(emptySum(hour, start), "999", start).state, "5", start, "eve")

    expect([total(state, start), total(state, start, "eve"), total(state, start, "joe")]).toEqual(["999", "5", "0"])
  })

  test("lets an amount go a hundredth of the window late at most", () => {
    const { state } = added(emptySum(hour, start), "10", start + 1)

    expect(total(state, start + 1 + hour)).toBe("10")
    expect(total(state, start + 1 + hour + hour / 100)).toBe("0")
  })

  test("takes away exactly what was added, and only once", () => {
    const first = added(emptySum(hour, start), "10", start)
    const both = added(first.state, "32", start)
    const freed = withFreed(both.state, first.part, start)

    expect(total(freed, start)).toBe("32")
    expect(total(withFreed(withFreed(freed, both.part, start), both.part, start), start)).toBe("0")
    expect(isEmpty(withFreed(freed, both.part, start))).toBe(true)
  })

  test("takes nothing from others for an amount that left already", () => {
    const old = added(emptySum(hour, start), "10", start)
    const later = start + 2 * hour
    const { state } = added(old.state, "7", later)

    expect(total(withFreed(state, old.part, later), later)).toBe("7")
  })

  test("lets a clock that is behind add nothing before what was added", () => {
    const { state } = added(emptySum(hour, start), "10", start)
    const behind = added(state, "5", start - hour / 2)

    expect(total(behind.state, start + hour - 1)).toBe("15")
  })

  test("takes away after its window changed what was added before", () => {
    const { state, part } = added(emptySum(hour, start), "10", start)

    for (const windowMs of [2 * hour, hour / 2]) {
      const moved = underWindow(state, windowMs, start)
      expect([total(moved, start), total(withFreed(moved, part, start), start)]).toEqual(["10", "0"])
    }
  })

  test("is blind until all of now has left, and never for shorter than it was", () => {
    const blind = blinded(emptySum(hour, start), start)

    expect([isBlind(blind, start + hour - 1), isBlind(blind, start + hour)]).toEqual([true, false])
    expect(blinded({ ...blind, blindUntil: start + 9 * hour }, start).blindUntil).toBe(start + 9 * hour)
  })

  test("lacks what is older where its window gets longer, and knows all where it gets shorter", () => {
    const { state } = added(emptySum(hour, start), "10", start)

    expect(isBlind(underWindow(state, 2 * hour, start), start)).toBe(true)
    expect(isBlind(underWindow(state, hour / 2, start), start)).toBe(false)
    expect(total(underWindow(state, 2 * hour, start), start + 2 * hour - 1)).toBe("10")
    expect(total(underWindow(state, hour / 2, start), start + hour)).toBe("0")
    expect(underWindow(state, hour, start)).toBe(state)
  })

  test("has a name of its own for each instance and path", () => {
    const id = { instance: "main", sum: "args.amount", per: "args.recipient" }
    const others = [
      { ...id, instance: "other" },
      { ...id, sum: "args.total" },
      { ...id, per: null },
    ]

    expect(new Set([id, ...others].map(sumName)).size).toBe(4)
    expect(sumName({ ...id })).toBe(sumName(id))
  })
})

/** What happens to a sum: time goes by, something is added, or the oldest that is left is taken away. */
const anyAct = fc.oneof(
  fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: hour }) }),
  fc.record({
    kind: fc.constant("add" as const),
    whose: fc.constantFrom("bob", "eve"),
    cents: fc.bigInt(0n, 10n ** 20n),
  }),
  fc.record({ kind: fc.constant("free" as const), which: fc.nat(20) }),
)

const cents = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}`

interface Kept {
  readonly at: number
  readonly whose: string
  readonly cents: bigint
  readonly part: ReturnType<typeof added>["part"]
  freed: boolean
}

/** Both sides, act by act: `all` is the model, each amount with its moment. */
function play(acts: readonly (typeof anyAct extends fc.Arbitrary<infer T> ? T : never)[]) {
  const all: Kept[] = []
  let now = start
  let state = emptySum(hour, now)
  for (const act of acts) {
    if (act.kind === "wait") now += act.ms
    if (act.kind === "add") {
      const { whose } = act
      const done = added(state, cents(act.cents), now, whose)
      state = done.state
      all.push({ at: now, whose, cents: act.cents, part: done.part, freed: false })
    }
    const gone = act.kind === "free" ? all[act.which] : undefined
    if (gone !== undefined && !gone.freed) {
      state = withFreed(state, gone.part, now)
      gone.freed = true
    }
  }
  return { all, now, state }
}

function between(all: readonly Kept[], whose: string, from: number): string {
  const own = all.filter((one) => one.whose === whose && !one.freed && one.at > from)
  return cents(own.reduce((sum, one) => sum + one.cents, 0n))
}

test("a sum is never less than what was added within its window, nor more than within a hundredth more", () => {
  fc.assert(
    fc.property(fc.array(anyAct, { maxLength: 40 }), (acts) => {
      const { all, now, state } = play(acts)
      for (const whose of ["bob", "eve"]) {
        const exact = (text: string) => writtenAmount(text)
        const least = exact(between(all, whose, now - hour))
        const most = exact(between(all, whose, now - hour - hour / 100))
        const sum = totalOf(state, whose, now)

        expect(Number(amountAsText(sum)) >= Number(amountAsText(least))).toBe(true)
        expect(Number(amountAsText(sum)) <= Number(amountAsText(most))).toBe(true)
        if (amountAsText(least) === amountAsText(most)) expect(sum).toEqual(least)
      }
    }),
    { numRuns: 500 },
  )
})

test("a sum keeps at most 101 entries for each owner", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: hour / 50 }), { minLength: 200, maxLength: 200 }), (waits) => {
      let now = start
      let state = emptySum(hour, now)
      for (const ms of waits) {
        now += ms
        state = added(state, "1", now).state
      }

      expect(Object.keys(state.amounts["bob"] ?? {}).length).toBeLessThanOrEqual(101)
    }),
    { numRuns: 5 },
  )
})
