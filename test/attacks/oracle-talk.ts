// The part of the oracle that knows what people said of earlier calls: who proposed what, and which call is rejected
// for a while. It knows neither Redis nor the bot.
import { end, type Span } from "./spans.ts"

/** An approval as whoever asked for it made it. All are of one tool and agent, those of a requester of one session. */
export interface AskedCall {
  readonly run: string
  /** Who asked for the run, if that is somebody whom we know. */
  readonly requester: string | null
  /** Its arguments by name. */
  readonly values: Readonly<Record<string, unknown>>
}

/** Whose votes do not make an approval of a call. */
export interface Barred {
  /** They count for nothing. */
  readonly never: readonly string[]
  /** They count, but not without somebody else: nobody may know any more who of them proposed. */
  readonly notAlone: readonly string[]
}

/** Knows who proposed what, and what is rejected for a while. Times are ms of one clock. */
export interface TalkOracle {
  readonly asked: (id: string, call: AskedCall, at: number) => void
  /** A card hung there by then: what it answers was read before. */
  readonly shown: (id: string, at: number) => void
  /** Somebody sends it back and says which values it should have. It counts once the platform took that. */
  readonly sendsBack: (id: string, by: { readonly person: string; readonly values: AskedCall["values"] }) => void
  /** The platform took a rejection of it, which sends it back or does not. */
  readonly rejected: (id: string, sentBack: boolean, at: number) => void
  /** Somebody rejects the same call for so long (ms), too. Returns what to call once that was carried out. */
  readonly rejectsFor: (id: string, ms: number, at: number) => (at: number) => void
  /** Somebody was told that people are asked again about a call that was rejected for a while. */
  readonly asksAgain: (id: string, at: number) => void
  /** Somebody changed what lies in Redis: what a later card should have said of a proposal may be lost. */
  readonly struck: (at: number) => void
  /** Redis was believed about everything: what was proposed before may be lost for all calls. */
  readonly believing: () => void
  /** Whoever asked, and whoever proposed a value that it has. */
  readonly barred: (id: string) => Barred
  /** It is rejected by itself. What is wrong with that, or null. */
  readonly repeated: (id: string, at: number) => string | null
}

/** So many calls of a run may be rejected by themselves. */
const maxInRun = 3
/** A press may be carried out so much later than people hear of it, in ms. */
const lateMs = 2_000

/** One value that somebody proposed for a call. */
interface Proposed {
  readonly person: string
  readonly name: string
  readonly value: unknown
  /** When the platform took that. */
  readonly at: number
  /** True if all calls since are of one run: then the platform's rows say that something was proposed. */
  readonly sameRun: boolean
}

interface Known extends AskedCall {
  readonly at: number
  /** What was proposed for it, and for the calls before it that were sent back. */
  readonly proposed: readonly Proposed[]
  shownAt: number
  sendsBack: { readonly person: string; readonly values: AskedCall["values"] } | null
  /** When the platform took that it is sent back; null: it did not, or a later call answered it. */
  sentBackAt: number | null
  lasting: Span | null
  /** True once the platform took a rejection of it. */
  isRejected: boolean
}

/** Makes one that nothing was told. */
export function createTalkOracle(): TalkOracle {
  const calls = new Map<string, Known>()
  const strikes: number[] = []
  const repeats: { readonly id: string; readonly run: string; readonly first: Known }[] = []
  let believed = false
  const known = (id: string): Known => {
    const one = calls.get(id)
    if (one === undefined) throw new Error(`nobody asked for ${id}`)
    return one
  }
  /** The newest call that was sent back, that nobody answered, and that this one may answer. */
  const before = ({ run, requester }: AskedCall): Known | undefined =>
    [...calls.values()]
      .filter((one) => one.sentBackAt !== null)
      .filter((one) => one.run === run || (requester !== null && one.requester === requester))
      .toSorted((a, b) => (b.sentBackAt ?? 0) - (a.sentBackAt ?? 0))[0]
  const isLost = (one: Proposed, shownAt: number) =>
    believed || strikes.some((struck) => struck >= one.at && struck <= shownAt)
  return {
    asked: (id, call, at) => {
      const first = before(call)
      const proposed = first === undefined ? [] : proposedIn(first, call)
      if (first !== undefined) first.sentBackAt = null
      const never = { sendsBack: null, sentBackAt: null, lasting: null, isRejected: false }
      calls.set(id, { ...call, at, proposed, shownAt: Number.POSITIVE_INFINITY, ...never })
    },
    shown: (id, at) => {
      const one = known(id)
      one.shownAt = Math.min(one.shownAt, at)
    },
    sendsBack: (id, by) => {
      known(id).sendsBack = by
    },
    rejected: (id, sentBack, at) => {
      const one = calls.get(id)
      if (one === undefined) return
      one.isRejected = true
      if (sentBack && one.sendsBack !== null) one.sentBackAt = at
    },
    rejectsFor: (id, ms, at) => {
      const lasting = { from: at, to: Number.POSITIVE_INFINITY }
      known(id).lasting = lasting
      return (done) => {
        end(lasting, done + ms + lateMs)
      }
    },
    asksAgain: (id, at) => {
      const { lasting } = known(id)
      if (lasting !== null) end(lasting, at)
    },
    struck: (at) => void strikes.push(at),
    believing: () => {
      believed = true
    },
    barred: (id) => {
      const one = calls.get(id)
      if (one === undefined) return { never: [], notAlone: [] }
      const own = one.proposed.filter(({ name, value }) => one.values[name] === value)
      const lost = own.filter((each) => isLost(each, one.shownAt))
      const never = own.filter((each) => !lost.includes(each)).map(({ person }) => person)
      const notAlone = lost.filter(({ sameRun }) => sameRun && !believed).map(({ person }) => person)
      return { never: one.requester === null ? never : [one.requester, ...never], notAlone }
    },
    repeated: (id, at) => {
      const one = calls.get(id)
      const stood = ({ lasting }: Known) => lasting !== null && lasting.from <= at && (one?.at ?? at) < lasting.to
      const first = [...calls.values()].findLast(
        (each) => each !== one && one !== undefined && isSame(each, one) && each.isRejected && stood(each),
      )
      if (one === undefined || first === undefined)
        return "it is rejected by itself, and no rejection of people lasts for it"
      repeats.push({ id, run: one.run, first })
      const inRun = new Set(
        repeats.filter((each) => each.run === one.run && each.first === first).map((each) => each.id),
      )
      return inRun.size > maxInRun ? `more than ${maxInRun} calls of a run are rejected by themselves` : null
    },
  }
}

/** What is proposed for the call that answers one that was sent back. */
function proposedIn({ sendsBack, sentBackAt, run, proposed }: Known, call: AskedCall): readonly Proposed[] {
  const sameRun = run === call.run
  const own = Object.entries(sendsBack?.values ?? {}).map(([name, value]) => {
    return { person: sendsBack?.person ?? "", name, value, at: sentBackAt ?? 0, sameRun }
  })
  return [...proposed.map((one) => ({ ...one, sameRun: one.sameRun && sameRun })), ...own]
}

/** True for the same arguments, asked for by the same person whom we know, or in the same run. */
function isSame(first: AskedCall, other: AskedCall): boolean {
  const whose = other.requester === null ? first.run === other.run : first.requester === other.requester
  return whose && JSON.stringify(first.values) === JSON.stringify(other.values)
}
