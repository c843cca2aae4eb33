// The oracle: it works out what people's last honest acts make of each approval. It knows neither Redis nor the bot,
// only who did what when, and what the platform held.
import { type Barred, createTalkOracle, type TalkOracle } from "./oracle-talk.ts"
import { end, holds, replacing, type Span } from "./spans.ts"

/** Who may decide under a config: people by their ids, and whoever `address` means if that is listed. */
export interface Rules {
  readonly people: readonly string[]
  readonly address: boolean
  readonly quorum: number
  /** So many approvals may be made by one person; 0: any number. Default 0. */
  readonly alone?: number
  /** Who may vote for people of the list who are away, and who may break the glass. Default: nobody. */
  readonly standIns?: readonly string[]
  readonly breakers?: readonly string[]
  /** Whether whoever asked for a call, or proposed a value of it, may not approve it. Default: they may. */
  readonly forbidsOwn?: boolean
}

export type Verb = "approve" | "reject"

interface Vote extends Span {
  readonly person: string
  readonly verb: Verb
  /** The content that the person saw. */
  readonly shown: string
  /** True if it breaks the glass. */
  readonly glass: boolean
  /** When it was carried out for certain. */
  doneAt: number
}

/** What a verdict says of itself. */
export interface VerdictSays {
  /** True if it is made by an earlier rejection alone. */
  readonly again?: boolean
  /** True if it says what to ask instead. */
  readonly sentBack?: boolean
}

interface Known {
  readonly id: string
  readonly votes: Vote[]
  readonly contents: (Span & { readonly content: string })[]
  /** No verdict from before can still be on its way: one was refused for good, or a vote could be taken back. */
  since: number
  /** When its time is over. */
  overAt: number
  /** When a replica read the platform's record. */
  readonly reads: number[]
  /** True once a verdict that these acts make was taken by the platform. */
  decided: boolean
  /** The last that was taken. */
  verb: Verb | null
}

/** Judges what the bot does. Times are ms of one clock. */
export interface Oracle {
  readonly asked: (id: string, content: string, at: number) => void
  /** A card hung there by then, so its deadline counts from then at the latest. */
  readonly shown: (id: string, at: number, livesMs: number | null) => void
  /**
   * Returns what to call once the press was carried out; until then it may still be. It takes the place of the person's
   * earlier votes.
   */
  readonly pressed: (
    id: string,
    vote: { readonly person: string; readonly verb: Verb; readonly shown: string; readonly glass?: boolean },
    at: number,
  ) => (at: number, replaces?: false) => void
  /**
   * The person was told that the vote is withdrawn, which they asked for at `asked`. A press that nobody had answered
   * by then may still be carried out: it waits as a ticket.
   */
  readonly withdrawn: (id: string, person: string, at: { readonly asked: number; readonly told: number }) => void
  readonly changed: (id: string, content: string, at: number) => void
  /**
   * A replica is about to get the platform's record. What changes between that and its POST nobody can tell. Of what
   * nobody asked for, nothing is noted.
   */
  readonly read: (id: string, at: number) => void
  /** The bot said that a verdict of it has ended: the votes up to then are void. */
  readonly ended: (id: string, at: number) => void
  /** Other rules become active. Returns what to call when they are for certain. */
  readonly activating: (rules: Rules, at: number) => (at: number) => void
  /** The address means somebody (else). Returns what to call when that is so for certain. */
  readonly linking: (person: string, at: number) => (at: number) => void
  /** The address means any of these people, since it is pinned to whoever is seen to have it next. */
  readonly unlinking: (people: readonly string[], at: number) => void
  /** What was taken away before may count again from now on, and the address means any of these people. */
  readonly believing: (people: readonly string[], at: number) => void
  /**
   * Redis was brought back, ledger and all, to before what was done just now. A replica that had not read that yet sees
   * another ledger than the rest, until they ask each other where it ends. So what was taken back a moment ago may
   * count for a while: we accept that.
   */
  readonly splitting: (at: number) => void
  /** Somebody stopped these approvals. Returns what to call when somebody asks for the end. */
  readonly stopped: (covers: (id: string) => boolean, at: number) => (at: number) => void
  /** Somebody is away for a time (ms), and another may vote for them. Returns what to call once they are back. */
  readonly away: (
    of: { readonly person: string; readonly standIn: string },
    at: number,
    ms: number,
  ) => (at: number) => void
  /** Somebody changes what lies in Redis: a stop that no replica had read may be lost. */
  readonly struck: (at: number) => void
  /** A verdict is on its way to the platform, which waits for one. What is wrong with that, or null. */
  readonly sent: (id: string, verb: Verb, at: number, says?: VerdictSays) => string | null
  /** A run is continued. What is wrong with that, or null. */
  readonly continued: (id: string, at: number) => string | null
}

/** A verdict is sent so soon after it is made, in ms. */
const soonMs = 3_000
/** Nobody can tell of content that changes so shortly before the POST arrives, in ms. */
const raceMs = 600
/** Each replica reads the ledger's end so often, and a little, in ms … */
const unreadMs = 1_500
/** … and so long it may take until all have answered where it ends, in ms. */
const splitMs = 6_500
/** A replica hears of a stop within a second, and what left before that has come after half a second more, in ms … */
const heardMs = 1_500
/** … and a moment is known to a step of the clock, on both sides, in ms. */
const stepMs = 400
/** A press that came in time may be carried out so much later, in ms. */
const lateMs = 2_000

/**
 * Makes the oracle of an installation that begins with some rules, and an address that means somebody. `talk`: the part
 * that knows what people said of earlier calls.
 */
export function createOracle(begin: {
  readonly rules: Rules
  readonly holder: string
  readonly at: number
  readonly talk?: TalkOracle
}): Oracle {
  const forever = { from: begin.at, to: Number.POSITIVE_INFINITY }
  const rules: (Span & { readonly rules: Rules })[] = [{ ...forever, rules: begin.rules }]
  const holders: (Span & { readonly person: string })[] = [{ ...forever, person: begin.holder }]
  const approvals = new Map<string, Known>()
  const stops: (Span & { readonly covers: (id: string) => boolean })[] = []
  const absences: (Span & { readonly person: string; readonly standIn: string })[] = []
  const isStopped = (id: string, at: number) =>
    stops.some(({ covers, from, to }) => covers(id) && at > from + heardMs + stepMs && at < to)
  const known = (id: string): Known => {
    const one = approvals.get(id)
    if (one === undefined) throw new Error(`nobody asked for ${id}`)
    return one
  }
  const mayUnder = (one: Rules, person: string, at: number) =>
    one.people.includes(person) ||
    (one.address && holders.some((holder) => holder.person === person && holds(holder, at)))
  /** Whose vote it is: the voter's own, or that of whoever is away. */
  const whose = (now: Rules, voter: string, at: number): readonly string[] => {
    if (mayUnder(now, voter, at)) return [voter]
    if (now.standIns?.includes(voter) !== true) return []
    const own = absences.filter(({ standIn, ...one }) => standIn === voter && holds(one, at))
    return own.map(({ person }) => person).filter((person) => mayUnder(now, person, at))
  }
  const alone = new Map<string, number>()
  const { talk = createTalkOracle() } = begin
  const isMade = (
    one: Known,
    verb: Verb,
    { content, at, least }: { readonly content: string; readonly at: number; readonly least: number },
  ) =>
    rules
      .filter((span) => holds(span, at))
      .some(({ rules: now }) => {
        const votes = one.votes.filter((vote) => vote.verb === verb && vote.shown === content && holds(vote, at))
        if (votes.some(({ glass, person }) => glass && now.breakers?.includes(person) === true)) return true
        const { never, notAlone } = verb === "approve" && now.forbidsOwn === true ? talk.barred(one.id) : nobody
        const voters = votes.filter(({ glass, person }) => !glass && !never.includes(person))
        const people = [...new Set(voters.flatMap(({ person }) => whose(now, person, at)))]
        const enough = people.length >= Math.max(least, verb === "approve" ? now.quorum : 1)
        return enough && people.some((person) => !notAlone.includes(person))
      })
  const moments = (one: Known, at: number) => {
    const first = Math.max(one.since, at - soonMs)
    const all = [...one.votes, ...rules, ...holders, ...absences].flatMap(({ from }) => [from])
    return [...all.filter((moment) => moment > first && moment < at), first, at].filter((moment) => moment >= one.since)
  }
  const add = (people: readonly string[], at: number) => {
    for (const person of people) holders.push({ person, from: at, to: Number.POSITIVE_INFINITY })
  }
  return {
    asked: (id, content, at) => {
      const never = Number.POSITIVE_INFINITY
      const contents = [{ from: at, to: never, content }]
      approvals.set(id, { id, votes: [], contents, since: at, overAt: never, reads: [], decided: false, verb: null })
    },
    shown: (id, at, livesMs) => {
      const one = known(id)
      if (livesMs !== null && one.overAt === Number.POSITIVE_INFINITY) one.overAt = at + livesMs
    },
    pressed: (id, vote, at) => {
      const never = Number.POSITIVE_INFINITY
      const made: Vote = { glass: false, ...vote, from: at, to: never, doneAt: never }
      const { votes } = known(id)
      const before = votes.filter(({ person }) => person === vote.person)
      votes.push(made)
      return (done, replaces) => {
        made.doneAt = done
        if (replaces === undefined) for (const one of before) end(one, done)
      }
    },
    withdrawn: (id, person, { asked, told }) => {
      const one = known(id)
      for (const vote of one.votes) if (vote.person === person && vote.doneAt <= asked) end(vote, told)
      // Had the votes decided before, there would have been nothing to take back.
      one.since = told
    },
    changed: (id, content, at) => {
      const { contents } = known(id)
      for (const one of contents) end(one, at)
      contents.push({ from: at, to: Number.POSITIVE_INFINITY, content })
    },
    read: (id, at) => {
      approvals.get(id)?.reads.push(at)
    },
    ended: (id, at) => {
      const one = known(id)
      for (const vote of one.votes) if (vote.doneAt <= at) end(vote, at)
      one.since = at
      alone.delete(id)
    },
    activating: (next, at) => replacing(rules, { rules: next }, at),
    linking: (person, at) => replacing(holders, { person }, at),
    unlinking: add,
    believing: (people, at) => {
      add(people, at)
      for (const span of [...rules, ...holders, ...absences]) if (span.to <= at) span.to = Number.POSITIVE_INFINITY
      for (const one of approvals.values()) one.overAt = Number.POSITIVE_INFINITY
      for (const one of stops) end(one, at)
    },
    splitting: (at) => {
      const votes = [...approvals.values()].flatMap((one) => one.votes)
      for (const span of [...votes, ...rules, ...holders, ...absences])
        if (span.to > at - unreadMs && span.to <= at) span.to = at + splitMs
      // A replica that had not read it yet may count without it.
      for (const [id, when] of alone) if (when > at - unreadMs) alone.delete(id)
    },
    stopped: (covers, at) => {
      const made = { covers, from: at, to: Number.POSITIVE_INFINITY }
      stops.push(made)
      return (over) => end(made, over)
    },
    away: (of, at, ms) => {
      const made = { ...of, from: at, to: at + ms }
      absences.push(made)
      return (back) => end(made, back)
    },
    struck: (at) => {
      for (const one of stops) if (one.from > at - unreadMs) end(one, at)
    },
    sent: (id, verb, at, says = {}) => {
      const one = known(id)
      if (says.again === true) {
        const wrong = verb === "reject" ? talk.repeated(id, at) : "it is approved by itself"
        Object.assign(one, { decided: wrong === null, verb })
        return wrong
      }
      if (verb === "approve" && isStopped(id, at)) return "approve is sent, and a stop covers it"
      if (at > one.overAt + lateMs) return `${verb} is sent, and its time was over`
      const wasRead = (span: Span) => one.reads.some((read) => holds(span, read) && at - read < soonMs)
      const contents = one.contents.filter((span) => span.from <= at && (at < span.to + raceMs || wasRead(span)))
      const madeBy = (least: number) =>
        contents.some(({ content }) =>
          moments(one, at).some((moment) => isMade(one, verb, { content, at: moment, least })),
        )
      const made = madeBy(1)
      if (made) one.decided = true
      if (made) one.verb = verb
      if (made && verb === "reject") talk.rejected(id, says.sentBack === true, at)
      if (!made) return `${verb} is sent, and people's last acts do not make that`
      if (verb === "approve" && !madeBy(2)) alone.set(id, at)
      const most = rules.at(-1)?.rules.alone ?? 0
      return most > 0 && alone.size > most ? `${verb} is sent, and one person made more than ${most} alone` : null
    },
    continued: (id, at) => {
      const { decided, verb } = known(id)
      if (!decided) return "its run is continued, and people's last acts do not make that"
      return verb === "approve" && isStopped(id, at) ? "its run is continued, and a stop covers it" : null
    },
  }
}

const nobody: Barred = { never: [], notAlone: [] }
