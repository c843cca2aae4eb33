// The signed list of decisions that ended or are stopped: what it says, and that nothing else passes for it.
import { expect, test } from "vitest"
import { noOrders, type Orders } from "../../src/domain/order/orders.ts"
import { createEndedList, endedListKeptMs, verifyEndedList } from "../../src/proof/ended-list.ts"
import { readKeySet } from "../../src/proof/signed.ts"
import { noon } from "../support/clock.ts"
import { aStop } from "../support/orders.ts"
import { aSigner } from "../support/signer.ts"

const signer = await aSigner()
const keys = readKeySet(JSON.stringify({ keys: [signer.publicKey] }), "a test's set")

/** A publisher whose clock and decisions the test sets. */
function aPublisher(sandbox = false) {
  const state = { now: noon, ids: ["d-1", "d-2"], cut: false, reads: 0, cuts: 0, fails: false }
  const known: { orders: Orders | null } = { orders: noOrders }
  const stopped = async (_at: number, { stops }: Orders) => ({ ids: stops.length === 0 ? [] : ["a-1"], cut: false })
  const ended = async () => {
    state.reads += 1
    if (state.fails) throw new Error("Redis is away")
    return { ids: state.ids, cut: state.cut }
  }
  const onCut = () => void (state.cuts += 1)
  const clock = () => state.now
  const orders = () => known.orders
  return {
    state,
    known,
    list: createEndedList({ installation: "test", sandbox, signer, clock, orders, ended, stopped, onCut }),
  }
}

test.each([false, true])(
  "the list says what ended, whose it is and until when it counts (sandbox: %s)",
  async (sandbox) => {
    const { list } = aPublisher(sandbox)

    const iat = noon / 1_000
    const said = { version: 1, installation: "test", sandbox, iat, exp: iat + 300, ended: ["d-1", "d-2"] }
    expect(await verifyEndedList(await list(), keys)).toEqual(said)
  },
)

test("a list is served for ten seconds, whoever asks; then it is made anew", async () => {
  const { state, list } = aPublisher()
  const [first] = await Promise.all([list(), list()])
  state.ids = ["d-3"]

  state.now += endedListKeptMs - 1
  expect(await list()).toBe(first)
  expect(state.reads).toBe(1)
  state.now += 1
  expect(await verifyEndedList(await list(), keys)).toMatchObject({ ended: ["d-3"] })
})

test("R21 a stop and its end drop the list that was made before, and the stopped stand behind a mark", async () => {
  const { known, list } = aPublisher()
  const saying = async () => (await verifyEndedList(await list(), keys)).ended
  await list()

  known.orders = { stops: [aStop()] }
  expect(await saying()).toEqual(["d-1", "d-2", "stopped", "a-1"])
  known.orders = { stops: [] }
  expect(await saying()).toEqual(["d-1", "d-2"])
})

test("R21 before a process knows which orders are in force it gives no list", async () => {
  const { known, list } = aPublisher()
  known.orders = null

  await expect(list()).rejects.toThrow("which orders are in force is not known yet")
})

test("a failure is not kept, and a list that had to be cut is told", async () => {
  const { state, list } = aPublisher()
  state.fails = true
  await expect(list()).rejects.toThrow("Redis is away")

  state.fails = false
  state.cut = true
  await list()

  expect(state.cuts).toBe(1)
})

test.each([
  ["an approval", "approval", {}, "not-signed"],
  ["a list of the other kind", "sandbox-ended", {}, "bad-claims"],
  ["a list of another version", "ended", { version: 2 }, "bad-claims"],
  ["a list with more", "ended", { note: "x" }, "bad-claims"],
] as const)("%s does not pass for a list", async (_what, purpose, changes, code) => {
  const claims = { version: 1, installation: "test", sandbox: false, iat: 0, exp: 1, ended: [] }

  const signed = await signer.sign(purpose, { ...claims, ...changes })

  await expect(verifyEndedList(signed, keys)).rejects.toMatchObject({ code })
})
