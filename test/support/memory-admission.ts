// Floods, summaries and Slack's pace in memory.
import { type Case, ownPlace } from "../../src/domain/case/case.ts"
import { questionsAnHour, ranks, summaryRestMs } from "../../src/flow/ports/pace.ts"
import type { Backlog, Clock, Memory, Pace, RateLimitBucket, Summaries, Summary, Turns } from "../../src/flow/ports.ts"
import { callsAMinute, isLimited } from "../../src/slack/transport/rate-limits.ts"

/** What waits for admission, as the cases say, and a memory that a test may fill. */
export interface MemoryFloods extends Backlog {
  fill(memory: Memory): void
}

/** Makes the floods of a server with these cases. */
export function createFloods(cases: () => readonly Case[]): MemoryFloods {
  const told = new Set<string>()
  let memory: Memory = { used: 0, max: 0 }
  return {
    look: async (instance) => {
      const waiting = cases()
        .filter((one) => one.instance === instance && !one.admission.given && ["open", "sending"].includes(one.state))
        .toSorted((a, b) => madeAt(a) - madeAt(b))
      const heads = waiting.filter(
        (one, at) => waiting.findIndex((two) => two.admission.agent === one.admission.agent) === at,
      )
      return { waiting: waiting.length, heads: heads.map((one) => one.id), memory, told: [...told] }
    },
    told: async (trouble) => void told.add(trouble),
    over: async (trouble) => void told.delete(trouble),
    fill: (next) => {
      memory = next
    },
  }
}

/** Makes the summaries of a server with these cases. */
export function createSummaries(cases: () => readonly Case[]): Summaries {
  const kept = new Map<string, Summary>()
  const isAt = (route: string, version: number) => (kept.get(route)?.version ?? 0) === version
  return {
    read: async (route) => kept.get(route) ?? null,
    save: async (next) => {
      if (!isAt(next.route, next.version - 1)) return false
      kept.set(next.route, next)
      return true
    },
    end: async ({ route, version }) => isAt(route, version) && kept.delete(route),
    routes: async () => [...kept.keys()],
    uncarded: async (route, limit) =>
      cases()
        .filter((one) => one.state === "open" && one.admission.given)
        .filter((one) => one.cards.some((card) => card.route === route && ownPlace(card) === null))
        .toSorted((a, b) => madeAt(a) - madeAt(b))
        .slice(0, limit)
        .map((one) => one.id),
  }
}

/** Makes the turns of a server with these cases. */
export function createTurns(cases: () => readonly Case[]): Turns {
  let last: { readonly caseId: string; readonly route: string | null } | null = null
  return {
    next: async (limit) => {
      const listed = cases()
        .filter(({ state }) => state === "open" || state === "sending")
        .toSorted((a, b) => madeAt(a) - madeAt(b))
        .map(({ id }) => id)
      const at = listed.findIndex((id) => id === last?.caseId)
      const start = at + (last?.route === null ? 1 : Math.min(0, at) * -1)
      const turned = [...listed.slice(start), ...listed.slice(0, start)]
      return turned.slice(0, limit).map((caseId) => {
        return { caseId, after: caseId === last?.caseId ? last.route : null }
      })
    },
    done: async (caseId, route) => {
      last = { caseId, route }
    },
  }
}

function madeAt(one: Case): number {
  return one.summary.createdAt ?? one.openedAt
}

interface LaneState {
  taken: number[]
  hold: number
  readonly line: Map<string, { order: number; due: number }>
}

/** Makes a pace by this clock: the same rules as the scripts in Redis. */
export function createPace(clock: Clock, paceMs: number): Pace {
  const lanes = new Map<RateLimitBucket, LaneState>()
  let arrivals = 0
  const stateOf = (lane: RateLimitBucket): LaneState => {
    const known = lanes.get(lane) ?? { taken: [], hold: 0, line: new Map() }
    lanes.set(lane, known)
    return known
  }
  const windowOf = (lane: RateLimitBucket) =>
    isLimited(lane) ? 60_000 : lane.startsWith("summary ") ? summaryRestMs : asksIn(lane) ? 3_600_000 : paceMs
  const callsOf = (lane: RateLimitBucket) => (isLimited(lane) ? callsAMinute[lane] : asksIn(lane) ? questionsAnHour : 1)
  const asksIn = (lane: RateLimitBucket) => lane.startsWith("questions ")
  const dueOn = (lane: RateLimitBucket, key: string, order: number, share: number): number => {
    const [state, now, window] = [stateOf(lane), clock(), windowOf(lane)]
    const own = state.line.get(key)
    if (own === undefined) state.line.set(key, { order: order * 1e12 + (arrivals += 1), due: now })
    const mine = state.line.get(key)?.order ?? 0
    const ahead = [...state.line.values()].filter((one) => one.order < mine && one.due + 1_000 >= now).length
    const taken = state.taken.filter((at) => at > now - window)
    const allowed = Math.max(1, Math.floor(callsOf(lane) * share))
    const missing = ahead - (allowed - taken.length)
    const free =
      missing < 0
        ? now
        : taken.length === 0
          ? now + window * Math.floor(ahead / allowed)
          : (taken[missing % taken.length] ?? now) + window * (Math.floor(missing / taken.length) + 1)
    return Math.max(free, state.hold > now ? state.hold + window * Math.floor(ahead / allowed) : now)
  }
  return {
    reserve: async ({ buckets: asked, key, rank }) => {
      const { order, share } = ranks[rank]
      const due = Math.max(...asked.map((lane) => dueOn(lane, key, order, share)))
      for (const lane of asked) {
        const { line, taken } = stateOf(lane)
        const own = line.get(key)
        if (due > clock() && own !== undefined) own.due = due
        if (due > clock()) continue
        line.delete(key)
        taken.push(clock())
      }
      return due - clock()
    },
    hurry: async (lane, key) => {
      const own = stateOf(lane).line.get(key)
      if (own !== undefined) own.order = -(arrivals += 1)
    },
    count: async (method) => {
      const state = stateOf(method)
      if (state.hold > clock()) return state.hold - clock()
      state.taken.push(clock())
      return 0
    },
    hold: async (lane, ms) => {
      stateOf(lane).hold = Math.max(stateOf(lane).hold, clock() + ms)
    },
  }
}
