// What somebody who can write to Redis might do to the ledger, chosen at random.
import fc from "fast-check"
import { chainOf } from "../../src/store/redis/keys.ts"
import { keysLike } from "../support/redis.ts"
import { restore, type SignedLedger } from "./signed-ledger.ts"
import { anApproval, committedCase, plainLedger, renumber } from "./support.ts"

/** One act. `what` names it in a failure. */
export interface Manipulation {
  readonly what: string
  readonly act: (ledger: SignedLedger) => Promise<void>
}

type Entries = [string, string[]][]

async function rewrite(ledger: SignedLedger, change: (entries: Entries) => Entries): Promise<void> {
  const { connection, store } = ledger
  const { commands } = connection
  const before = await plainLedger(ledger)
  const after = change(before.map(([id, fields]) => [id, [...fields]]))
  const pipeline = commands.pipeline().del(store.keys.ledger)
  for (const [id, fields] of after) pipeline.xadd(store.keys.ledger, id, ...fields)
  await pipeline.exec()
  const last = after.at(-1)?.[0].split("-")[0] ?? "0"
  await commands.set(store.keys.sequence, last)
  await relist(ledger, after)
}

/** Makes the lists of numbers fit the entries again, as a careful intruder would. */
async function relist(ledger: SignedLedger, entries: Entries): Promise<void> {
  const { commands } = ledger.connection
  const { tag } = ledger.store.keys
  const numbers = new Map<string, string[]>()
  for (const kind of ["chain:", "case:"])
    for (const key of await keysLike(commands, `${tag}:${kind}*`))
      numbers.set(key.replace(`${tag}:`, "").replace("chain:", ""), [])
  for (const [id, fields] of entries) {
    const chain = /"chain":"((?:case|link):[^"]+|config|installation|signing-keys)"/.exec(fields[1] ?? "")?.[1]
    if (chain !== undefined) numbers.set(chain, [...(numbers.get(chain) ?? []), id.split("-")[0] ?? ""])
  }
  for (const [chain, all] of numbers) await renumber(ledger, chain, () => (all.length === 0 ? null : all))
}

function renumbered(entries: Entries): Entries {
  return entries.map(([, fields], index) => [`${index + 1}-0`, fields])
}

/** The places of `count` different entries. */
const places = (entries: number, count: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: entries - 1 }), { minLength: count, maxLength: count })

function changes(entries: number): fc.Arbitrary<Manipulation> {
  const flip = fc.record({
    at: fc.nat(entries - 1),
    field: fc.constantFrom(1, 3),
    byte: fc.nat(),
    by: fc.integer({ min: 1, max: 127 }),
  })
  return flip.map(({ at, field, byte, by }) => ({
    what: `byte ${byte} of entry ${at + 1}'s ${field === 1 ? "body" : "MAC"} changed by ${by}`,
    act: (ledger) =>
      rewrite(ledger, (all) =>
        all.map(([id, fields], index): [string, string[]] => {
          if (index !== at) return [id, fields]
          const bytes = Buffer.from(fields[field] ?? "")
          bytes[byte % bytes.length] = (bytes[byte % bytes.length] ?? 0) ^ by
          return [id, fields.with(field, bytes.toString("latin1"))]
        }),
      ),
  }))
}

function removals(entries: number): fc.Arbitrary<Manipulation> {
  const removed = fc.record({ at: fc.nat(entries - 1), count: fc.integer({ min: 1, max: 4 }), close: fc.boolean() })
  return removed.map(({ at, count, close }) => ({
    what: `${count} entries from ${at + 1} on deleted${close ? ", the rest renumbered" : ""}`,
    act: (ledger) =>
      rewrite(ledger, (all) => {
        const left = all.filter((_entry, index) => index < at || index >= at + count)
        return close ? renumbered(left) : left
      }),
  }))
}

function truncations(entries: number): fc.Arbitrary<Manipulation> {
  return fc.nat(entries - 1).map((kept) => ({
    what: `cut off after entry ${kept}`,
    act: (ledger) => rewrite(ledger, (all) => all.slice(0, kept)),
  }))
}

function reorderings(entries: number): fc.Arbitrary<Manipulation> {
  return places(entries, 2).map(([one = 0, other = 0]) => ({
    what: `entries ${one + 1} and ${other + 1} swapped`,
    act: (ledger) =>
      rewrite(ledger, (all) => renumbered(all.with(one, all[other] ?? ["", []]).with(other, all[one] ?? ["", []]))),
  }))
}

function replays(entries: number): fc.Arbitrary<Manipulation> {
  return fc.record({ from: fc.nat(entries - 1), to: fc.nat(entries) }).map(({ from, to }) => ({
    what: `entry ${from + 1} written again as ${to + 1}`,
    act: (ledger) => rewrite(ledger, (all) => renumbered(all.toSpliced(to, 0, all[from] ?? ["", []]))),
  }))
}

function rollbacks(snapshots: number): fc.Arbitrary<Manipulation> {
  const rolled = fc.record({ to: fc.nat(snapshots - 2), grown: fc.integer({ min: 0, max: 14 }) })
  return rolled.map(({ to, grown }) => ({
    what: `all of Redis brought back to step ${to}, then ${grown} honest cases`,
    act: async (ledger) => {
      await restore(ledger, ledger.snapshots[to] ?? new Map())
      for (let one = 0; one < grown; one += 1) await committedCase(ledger, anApproval({ id: `later-${one}` }))
    },
  }))
}

/** A record, erasable record or receipt brought back from an earlier moment, deleted, or changed in one byte. */
function records(snapshots: number): fc.Arbitrary<Manipulation> {
  const changed = fc.record({ pick: fc.nat(), from: fc.integer({ min: -1, max: snapshots - 2 }), byte: fc.nat() })
  return changed.map(({ pick, from, byte }) => ({
    what: `record ${pick} ${from < 0 ? `changed at ${byte} or deleted` : `brought back from step ${from}`}`,
    act: async (ledger) => {
      const { commands } = ledger.connection
      const kinds = /^\{[^}]*\}:(?:(?:case|link|receipt|erasable):.*|config|installation|signing-keys)$/
      const whole = ledger.snapshots.at(-1) ?? new Map<string, Buffer>()
      const before = ledger.snapshots[from] ?? new Map<string, Buffer>()
      const names = [...new Set([...whole.keys(), ...before.keys()])].filter((name) => kinds.test(name)).toSorted()
      const name = names[pick % names.length] ?? ""
      const old = before.get(name)
      if (old !== undefined && !old.equals(whole.get(name) ?? Buffer.alloc(0))) {
        await commands.restore(name, 0, old, "REPLACE")
        return
      }
      const bytes = Buffer.from((await commands.hgetBuffer(name, "sealed")) ?? "")
      bytes[byte % bytes.length] = (bytes[byte % bytes.length] ?? 0) ^ 1
      await (byte % 3 === 0 ? commands.del(name) : commands.hset(name, "sealed", bytes))
    },
  }))
}

function counters(entries: number): fc.Arbitrary<Manipulation> {
  const sequence = fc.constantFrom("0", "x", String(entries - 1), String(entries + 1)).map((value) => ({
    what: `the sequence set to ${value}`,
    act: async ({ connection, store }: SignedLedger) =>
      void (await connection.commands.set(store.keys.sequence, value)),
  }))
  const lists = fc.record({
    chain: fc.constantFrom(chainOf.config, chainOf.installation, chainOf.signingKeys),
    act: fc.nat(2),
  })
  const listed = lists.map(({ chain, act }) => ({
    what: `the list of ${chain} changed (${act})`,
    act: async ({ connection, store }: SignedLedger) => {
      const key = store.keys.chain(chain)
      if (act === 0) await connection.commands.rpush(key, "7")
      if (act === 1) await connection.commands.lset(key, 0, "77")
      if (act === 2) await connection.commands.del(key)
    },
  }))
  const flush = fc.constant({ what: "everything deleted", act: (ledger: SignedLedger) => restore(ledger, new Map()) })
  return fc.oneof(sequence, listed, flush)
}

/** Any of them, for a ledger of this many entries. */
export function manipulations({
  entries,
  snapshots,
}: {
  entries: number
  snapshots: number
}): fc.Arbitrary<Manipulation> {
  return fc.oneof(
    changes(entries),
    removals(entries),
    truncations(entries),
    reorderings(entries),
    replays(entries),
    rollbacks(snapshots),
    records(snapshots),
    counters(entries),
  )
}
