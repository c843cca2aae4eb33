// Settling: finds the end of the ledger after a start, in a new epoch of Redis, or if something is missing (R17).
import type { MarksOfProcess } from "../../flow/ports.ts"
import { StoreError } from "../errors.ts"
import { type NumberedEntry, readLedger } from "../ledger/read-ledger.ts"
import { chainOf, isCaseChain, isSumChain } from "../redis/keys.ts"
import type { SealedPlace } from "../redis/sealed-record.ts"
import { beginEra, type Lost, type NextEra } from "./era.ts"
import { type KnownLedger, mayLoseMs, type RecentEntry } from "./known-ledger.ts"
import type { Break, LedgerReader } from "./reader.ts"
import { knowAtStart, marksLeft } from "./start.ts"
import type { VouchAnswer, VouchQuestion } from "./vouching.ts"
import { eraOptionsOf, isAccepted, type Watch } from "./watch.ts"

/** What this replica says about the ledger when others ask. */
export function answerOf(watch: Watch, missing: Lost): Omit<VouchAnswer, "by"> {
  const { number, mac } = watch.known().end()
  const rolledBack = watch.standing().kind === "rolled-back"
  const lost = { missing: [...missing.chains], config: [...missing.config] }
  return { number, mac, ...lost, rolledBack, era: watch.highestEra(), vouches: true }
}

/** Settles the end in a new epoch of Redis, or if the end that we knew is missing. Throws `StoreError`. */
async function settleEnd(watch: Watch): Promise<void> {
  if (watch.standing().kind === "rolled-back") return lookAgain(watch)
  const found = await findEnd(watch.options, watch.known(), watch.reader())
  if (found.kind === "rolled-back") return rollBack(watch, found.why)
  const missing = touchedBy(found.lost)
  const asked = watch.start.visitor === true ? nobody : await watch.vouching.ask(answerOf(watch, missing))
  const silent = await silentMarks(watch, asked.silent)
  await conclude(watch, { missing, asked, marks: silent.marks, all: silent.without })
  const [first] = found.lost
  // Else a start that reads these marks later would take a lost second for a roll-back.
  if (first !== undefined && watch.start.visitor !== true)
    await watch.noter.lost(first.number - 1, (chain) => watch.known().head(chain))
}

const nobody: VouchQuestion = { answers: [], silent: [] }

/** The marks that silent replicas left. `without`: one of these replicas left none, so nobody knows what it knew. */
async function silentMarks({ start }: Watch, silent: readonly string[]) {
  if (silent.length === 0) return { marks: [], without: false }
  const files = await start.marks.read()
  const marks = files.filter(({ replica }) => silent.includes(replica))
  return { marks, without: marks.length < silent.length }
}

/** Settles the end at a start, from the evidence and the answers of other replicas. Throws `StoreError`. */
export async function settleStart(
  watch: Watch,
  { lost, vouched }: { readonly lost: Lost; readonly vouched: boolean },
): Promise<void> {
  const visits = watch.start.visitor === true
  // Else two replicas that start at once would vouch for one another.
  const own = { ...answerOf(watch, lost), vouches: vouched }
  const asked = await watch.vouching.ask(own, vouched || visits ? "perhaps" : "any")
  const all = !vouched && !visits && !asked.answers.some(({ vouches }) => vouches)
  await conclude(watch, { missing: lost, asked, marks: [], all })
}

interface Conclusion {
  readonly missing: Lost
  readonly asked: VouchQuestion
  readonly marks: readonly MarksOfProcess[]
  /** True if nobody knows what is missing. */
  readonly all: boolean
}

/** Joins what all replicas know. If one sees a roll-back, it holds for all; else an era touches what any one misses. */
async function conclude(watch: Watch, { missing, asked, marks, all }: Conclusion): Promise<void> {
  for (const { era } of asked.answers) watch.heardOfEra(era)
  const odd = await oddAnswer(watch, asked.answers)
  if (odd !== null) return rollBack(watch, odd)
  const left = await marksLeft(watch.options, watch.known(), marks)
  if ("why" in left) return rollBack(watch, left.why)
  const touched = [...missing.chains, ...left.lost.chains, ...asked.answers.flatMap((one) => one.missing)]
  const config = [...missing.config, ...left.lost.config, ...asked.answers.flatMap((one) => one.config)]
  const lost = { touched: [...new Set(touched)], config: config.length === 0 ? null : [...new Set(config)] }
  if (all && hasSomethingOpen(watch.known()))
    return begin(watch, { ...lost, touched: null, why: touched.length > 0 ? "lost" : "unvouched" })
  if (touched.length > 0 && watch.start.visitor !== true) await begin(watch, { ...lost, why: "lost" })
}

/** How another replica's ledger differs from ours; null if none does. */
async function oddAnswer(watch: Watch, answers: readonly VouchAnswer[]): Promise<string | null> {
  if (answers.some(({ rolledBack }) => rolledBack)) return "another replica knows more of the ledger than Redis holds"
  if (answers.some(({ number }) => number > watch.known().end().number)) await watch.catchUp()
  const known = watch.known()
  const other = answers.find(({ number, mac }) => number > known.end().number || (known.macAt(number) ?? mac) !== mac)
  return other === undefined ? null : `another replica knows entry ${other.number} of the ledger otherwise`
}

async function begin(watch: Watch, era: Pick<NextEra, "touched" | "config" | "why">): Promise<void> {
  const { clock, alarm } = watch.start
  const { why, touched } = era
  if (!(await beginEra(eraOptionsOf(watch), { ...era, at: clock() })))
    return rollBack(watch, "the record of the installation is not the one that the ledger names")
  await watch.catchUp()
  alarm({ code: "era-begun", why, cases: touched?.length ?? "all", hint: "votes that may be lost are asked for again" })
}

/** True if there is an open case or a sum: its last acts may be lost. */
function hasSomethingOpen(known: KnownLedger): boolean {
  const isOpen = (chain: string) => isCaseChain(chain) || isSumChain(chain)
  for (const chain of known.settled.heads.chains()) if (isOpen(chain)) return true
  return known.recent().some(({ chain, after }) => isOpen(chain) && after !== null)
}

/** Notes that Redis is older than what we know. From now on, what Redis holds is good only for rejections. */
export async function rollBack(watch: Watch, why: string, number = watch.known().end().number): Promise<void> {
  const known = { number, mac: watch.known().end().mac }
  const { known: found } = await knowAtStart(
    { ...watch.options, ...watch.start, map: watch.map, now: watch.now },
    { bound: null, marks: [] },
  )
  watch.know(found)
  if (isAccepted(watch)) return watch.stand({ kind: "fresh" })
  watch.stand({ kind: "rolled-back", why, known, found: found.end(), since: watch.start.clock() })
  watch.remind()
}

/** Reads a rolled-back ledger anew, and looks whether an operator accepted it meanwhile. */
async function lookAgain(watch: Watch): Promise<void> {
  const standing = watch.standing()
  if (standing.kind === "rolled-back") await rollBack(watch, standing.why, standing.known.number)
}

/** What became of the end that we knew. */
type FoundEnd =
  | { readonly kind: "lost"; readonly lost: readonly RecentEntry[] }
  | { readonly kind: "rolled-back"; readonly why: string }

/**
 * Compares what we know with Redis, forgets the entries that Redis lost, and takes in what is there instead. If we
 * saw each of these entries in Redis for less than `mayLoseMs`, they are lost; else this is a roll-back. Throws
 * `StoreError`.
 */
async function findEnd(options: SealedPlace, known: KnownLedger, reader: LedgerReader): Promise<FoundEnd> {
  const goodAt = reader.goodAt()
  const reads = await readFrom(options, known.settled.end().number)
  const common = commonEnd(known, reads)
  if (common === null) return { kind: "rolled-back", why: `entry ${known.settled.end().number} is not what it was` }
  const missing = known.recent().filter(({ number }) => number > common)
  const old = missing.find(({ readAt }) => readAt < goodAt - mayLoseMs)
  if (old !== undefined)
    return { kind: "rolled-back", why: `entry ${old.number} is gone, which was there for more than ${mayLoseMs} ms` }
  const lost = known.cut(common)
  const wrong = reader.takeIn(reads.filter(({ number }) => number === null || number > common))
  return wrong === null ? { kind: "lost", lost } : { kind: "rolled-back", why: wrong.why }
}

/** All entries from a sequence number on. */
async function readFrom({ redis, keys }: SealedPlace, number: number): Promise<readonly NumberedEntry[]> {
  const all: NumberedEntry[] = []
  for await (const page of readLedger(redis, keys, { after: `${Math.max(0, number - 1)}-0`, pageSize: 500 }))
    for (const one of page) all.push(one)
  return all
}

/** The last entry that Redis holds as we know it; null if Redis does not hold even the settled end. */
function commonEnd(known: KnownLedger, reads: readonly NumberedEntry[]): number | null {
  const settled = known.settled.end().number
  let common: number | null = settled === 0 ? 0 : null
  for (const { number, mac } of reads) {
    if (number === null || known.macAt(number) !== mac) break
    common = number
  }
  return common
}

/** What lost entries touch: cases, sums, the config, and links that operators changed or somebody disputed (R7). */
function touchedBy(lost: readonly Pick<RecentEntry, "chain" | "kind" | "mac">[]): Lost {
  const counted = lost.filter(({ chain, kind }) => isTouching(chain) || disputable.has(kind))
  const config = lost.findLast(({ chain }) => chain === chainOf.config)
  return { chains: [...new Set(counted.map(({ chain }) => chain))], config: config === undefined ? [] : [config.mac] }
}

function isTouching(chain: string): boolean {
  return isCaseChain(chain) || isSumChain(chain) || chain === chainOf.config
}

const disputable: ReadonlySet<string> = new Set(["linked", "unlinked", "contested"])

/** How long a commit waits for the end to be settled, in ms. After that, the commit is tried again later. */
const settlingMs = 6_000
/** How soon we ask again if Redis does not answer, in ms. */
const againMs = 200

/** Settles the end in the background. `first`: the epoch of Redis at the start. */
export function createSettler(watch: Watch, first: string) {
  const { options } = watch
  let epoch = first
  let run: Promise<void> | null = null
  let open = true
  /** If Redis is away, tries again until Redis answers. */
  const untilAnswered = async (next: string): Promise<void> => {
    while (open) {
      try {
        await settleEnd(watch)
        epoch = next
        return
      } catch (error) {
        options.log.warn("ledger-not-settled", { error })
        await new Promise((resolve) => setTimeout(resolve, againMs))
      }
    }
    throw unsettled()
  }
  const begin = (next: string): void => {
    run ??= untilAnswered(next).finally(() => {
      run = null
    })
    // Whoever waits for this run hears of the failure.
    run.catch(() => undefined)
  }
  return {
    /** True while the end is being settled. */
    running: () => run !== null,
    /** Settles the end anew if Redis is in another epoch. */
    lookAtRun: async () => {
      const now = await options.epoch()
      if (now !== epoch) begin(now)
    },
    /** Settles the end anew if there is a break. */
    mend: (found: Break | null) => {
      if (found !== null) begin(epoch)
    },
    /** Waits until nothing is being settled. Throws `StoreError` `unsettled` if that takes too long. */
    settled: async () => {
      if (run === null) return
      const late = Promise.withResolvers<"late">()
      const timer = setTimeout(() => late.resolve("late"), settlingMs)
      const first = await Promise.race([run.then(() => "done"), late.promise]).finally(() => clearTimeout(timer))
      if (first === "late") throw unsettled()
    },
    /** Ends the settling soon, without another try. Whoever waits hears that the end is unsettled. */
    close: () => {
      open = false
    },
  }
}

function unsettled(): StoreError {
  return new StoreError("unsettled", "whether Redis lost anything is not known yet")
}
