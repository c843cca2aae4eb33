// A ledger with a bit of everything, checkpoints over it, and snapshots of Redis from every moment of its making.
import { type Case, caseIdOf, type Step } from "../../src/domain/case/case.ts"
import { castVote } from "../../src/domain/case/steps.ts"
import { close, decide, miss, settle } from "../../src/domain/case/verdict.ts"
import { isJsonObject } from "../../src/domain/content/json.ts"
import { createMerkleTree, entryLeaf, type Hash } from "../../src/domain/proof/merkle.ts"
import type { LedgerFeed } from "../../src/flow/ports.ts"
import { type Checkpoint, createCheckpointer } from "../../src/proof/checkpointer.ts"
import { readLedger } from "../../src/store/ledger/read-ledger.ts"
import { aVote } from "../support/builders.ts"
import { keysLike } from "../support/redis.ts"
import { aSigner } from "../support/signer.ts"
import { anApproval, committedCase, noon, type OpenStore, openStore } from "./support.ts"

/** Every key of an installation, as DUMP gives it. */
export type Snapshot = ReadonlyMap<string, Buffer>

export interface SignedLedger extends OpenStore {
  readonly checkpoints: readonly Checkpoint[]
  /** Redis after each step of the making; the last is the whole. */
  readonly snapshots: readonly Snapshot[]
}

/** Thirty-two entries, a checkpoint after every three steps and at the end. */
export async function aSignedLedger(): Promise<SignedLedger> {
  const open = await openStore()
  const { installation } = open
  const checkpoints: Checkpoint[] = []
  const signer = await aSigner(installation)
  const checkpointer = createCheckpointer({
    installation,
    feed: feedOf(open),
    seal: open.seal,
    receipts: signer,
    sinks: [{ name: "test", readable: false, write: async (checkpoint) => void checkpoints.push(checkpoint) }],
    everyMs: 0,
    everyEntries: 1,
    clock: () => noon,
    alarm: ({ code }) => {
      throw new Error(code)
    },
  })
  const snapshots: Snapshot[] = []
  for (const [index, step] of stepsOf(open).entries()) {
    await step()
    snapshots.push(await snapshotOf(open))
    if (index % 3 === 0) await checkpointer.sign()
  }
  await checkpointer.sign()
  return { ...open, checkpoints, snapshots }
}

/** The whole ledger as settled: nobody else writes here, and nothing is lost. */
function feedOf({ connection, store }: OpenStore): LedgerFeed {
  let seen = 0
  return {
    from: () => 0,
    end: () => 0,
    size: () => 0,
    rareAt: () => 0,
    covered: async () => undefined,
    state: async () => {
      const tree = createMerkleTree()
      const leaves: Hash[] = []
      let mac = ""
      for await (const page of readLedger(connection.commands, store.keys, { after: "0-0", pageSize: 100 })) {
        for (const entry of page) {
          tree.append(entryLeaf(entry))
          leaves.push(entryLeaf(entry))
          mac = entry.mac
        }
      }
      const fresh = leaves.slice(seen)
      seen = leaves.length
      const root = tree.root().toString("hex")
      return { size: tree.size(), mac, root, peaks: [], heads: "", era: 0, leaves: fresh }
    },
  }
}

function stepsOf({ store, installation }: OpenStore): readonly (() => Promise<unknown>)[] {
  const people = ["ann", "bob"].map((name) => async () => {
    await store.identityLinks.pin(`${name}@example.com`, { team: "T1", user: name.toUpperCase() }, noon)
  })
  const cases = ["a-1", "a-2", "a-3"].map((id) => async () => {
    const current = await committedCase({ store, installation } as OpenStore, anApproval({ id }))
    const missed = await store.cases.commit({ ...miss(current, noon), expectedVersion: 1 })
    if (missed.kind !== "committed") throw new Error(missed.kind)
    const votes = [aVote({ user: "CAT", caseId: current.id })]
    const decision = { id: `decision-${id}`, verb: "approve" as const, votes, at: noon }
    await store.cases.commit({ ...decide(missed.case, decision, "{}", `receipt of ${id}`), expectedVersion: 2 })
  })
  const key = async () => {
    const { publicKey } = await aSigner(installation)
    if (isJsonObject(publicKey)) await store.signingKeys.add(publicKey, noon)
  }
  const settled = [
    { id: "a-4", user: "ANN" },
    { id: "a-5", user: "BOB" },
    { id: "a-6", user: "ANN" },
  ].map((one) => () => aSettledCase({ store, installation } as OpenStore, one))
  const erase = () => store.erase({ person: "T1:BOB", names: [], by: "operator", at: noon })
  const remove = () =>
    store.retention.remove(caseIdOf(installation, "main", "a-6"), { at: noon, settledBefore: Number.POSITIVE_INFINITY })
  return [key, ...people, ...cases, ...settled, erase, remove]
}

interface SettledCase {
  readonly id: string
  readonly user: string
  readonly before?: readonly string[]
  readonly resolvedBy?: string
}

/**
 * A case that one person decided, with a reason, and that is closed; five entries, and one for each who voted before.
 */
export async function aSettledCase(
  open: Pick<OpenStore, "store" | "installation">,
  { id, user, before = [], resolvedBy = `${user.toLowerCase()}@example.com` }: SettledCase,
): Promise<Case> {
  let current = await committedCase(open as OpenStore, anApproval({ id }))
  const go = async (step: Step) => {
    const done = await open.store.cases.commit({ ...step, expectedVersion: current.version })
    if (done.kind !== "committed") throw new Error(done.kind)
    current = done.case
  }
  const votes = [...before, user].map((one) =>
    aVote({ user: one, caseId: current.id, reason: `because ${one} says so` }),
  )
  for (const vote of votes) await go(castVote(current, vote, current.revision.quotas))
  const decision = { id: `decision-${id}`, verb: "approve" as const, votes, at: noon }
  await go(decide(current, decision, "{}", `receipt of ${id}`))
  const ours = { verb: "approve" as const, resolvedBy, at: noon }
  const event = { kind: "resolved" as const, decision: decision.id, sandbox: false, ...ours }
  await go(settle(current, { kind: "ours", decisionId: decision.id, ...ours }, event))
  await go(close(current, noon))
  return current
}

/** Everything that Redis holds of an installation. */
export async function snapshotOf({ connection, store }: OpenStore): Promise<Snapshot> {
  const names = await keysLike(connection.commands, `${store.keys.tag}:*`)
  const dumps = await Promise.all(names.map((name) => connection.commands.dumpBuffer(name)))
  return new Map(names.map((name, index) => [name, dumps[index] ?? Buffer.alloc(0)]))
}

/** Brings Redis back to a snapshot. */
export async function restore({ connection, store }: OpenStore, snapshot: Snapshot): Promise<void> {
  const names = await keysLike(connection.commands, `${store.keys.tag}:*`)
  const pipeline = connection.commands.pipeline()
  if (names.length > 0) pipeline.del(...names)
  for (const [name, dump] of snapshot) pipeline.restore(name, 0, dump)
  await pipeline.exec()
}
