// Lets the faults of a schedule strike, at their labels or at their times.

import { changeAbsence } from "./absences.ts"
import { lastingOf } from "./amnesia.ts"
import { act } from "./people.ts"
import { failPlatform, outliveContinue } from "./platform.ts"
import { proposeRules } from "./proposals.ts"
import type { Replica } from "./replicas.ts"
import { type Fault, type Strike, slackMethods } from "./schedule.ts"
import type { Asked, Doings } from "./screen.ts"
import type { Stage } from "./stage.ts"
import { stopForAWhile } from "./stops.ts"

/** A fault that struck, for the figures: what, and at which step of the program (or `any time`). */
export interface Struck {
  readonly fault: string
  readonly at: string
  readonly strike: Strike
}

/** The faults of a running seed. */
export interface Strikes {
  readonly struck: readonly Struck[]
  /** When Redis was brought back to an earlier moment: from then until it was back, simulated epoch ms. */
  readonly lost: readonly { readonly from: number; readonly to: number }[]
  /** What failed in the harness itself. */
  readonly errors: readonly string[]
  /** Stops laying traps, lets go who stands still, and waits until every fault is over. */
  readonly end: () => Promise<void>
}

interface Going {
  readonly stage: Stage
  readonly doings: Doings
  readonly lost: { readonly from: number; readonly to: number }[]
}

/** A strike of the moment; `go` lets the replica go on that stands still at the label, if one does. */
export interface Moment {
  readonly at: string
  readonly replica: Replica | null
  readonly go: () => void
}

/** Arms the faults. Each one is added to `struck` when it strikes, so that we know them even if the seed hangs. */
export function armFaults(stage: Stage, doings: Doings, struck: Struck[]): Strikes {
  const errors: string[] = []
  const going: Going = { stage, doings, lost: [] }
  const under = new Set<Promise<void>>()
  let over = false
  const note = (strike: Strike, at: string) => void struck.push({ fault: nameOf(strike), at, strike })
  const strike = (id: number, fault: Fault, moment: Moment) => {
    note(fault.strike, moment.at)
    stage.timeline.note("fault", `${id}: ${nameOf(fault.strike)} at ${moment.at} ${JSON.stringify(fault.strike)}`)
    const done = carryOut(going, fault.strike, moment)
      .catch((error: unknown) => void errors.push(`${nameOf(fault.strike)}: ${String(error)}`))
      .finally(() => {
        moment.go()
        under.delete(done)
      })
    under.add(done)
  }
  const taken = new Set<number>()
  for (const replica of stage.replicas) {
    replica.onTrap = (id, label, dead) => {
      const fault = stage.schedule.faults[id]
      const go = () => (dead ? undefined : replica.go(id))
      for (const other of stage.replicas) other.disarm(id)
      if (fault === undefined || taken.has(id) || over) {
        if (!dead || fault === undefined) return go()
        // It died before it could be told that nothing shall strike any more: that may leave behind what any death
        // does.
        note(fault.strike, label)
        return void replica.start().catch(() => undefined)
      }
      taken.add(id)
      strike(id, fault, { at: label, replica, go })
    }
  }
  const timers = stage.schedule.faults.flatMap((fault, id) => {
    if (fault.when.kind === "label") {
      const { label, nth } = fault.when
      for (const replica of stage.replicas) replica.lay({ id, label, nth, act: isDeath(fault.strike) ? "die" : "stop" })
      return []
    }
    const now: Moment = { at: "any time", replica: null, go: () => undefined }
    return [setTimeout(() => strike(id, fault, now), fault.when.ms)]
  })
  return {
    struck,
    errors,
    lost: going.lost,
    end: async () => {
      for (const timer of timers) clearTimeout(timer)
      for (const id of stage.schedule.faults.keys()) for (const replica of stage.replicas) replica.disarm(id)
      over = true
      while (under.size > 0) await Promise.all(under)
    },
  }
}

function isDeath(strike: Strike): boolean {
  return strike.kind === "kill"
}

/** What a strike is called in the table of faults. */
export function nameOf(strike: Strike): string {
  switch (strike.kind) {
    case "redis-away":
      return `redis ${strike.way}`
    case "platform":
      return `platform ${strike.how}`
    case "slack":
      return `slack ${strike.fault.kind.replaceAll("_", " ")}`
    case "delivery":
      return `delivery ${strike.fault.kind.replaceAll("_", " ")}`
    case "meanwhile":
      return `meanwhile ${strike.act.kind}`
    case "outage":
      return `${strike.of} outage`
    case "amnesia":
      return "platform amnesia"
    case "kill":
    case "redis-restart":
    case "redis-restored":
    case "rolling":
    case "lost-post":
    case "sockets":
    case "platform-killed":
    case "continue-cut":
    case "stop":
    case "away":
    case "back":
    case "propose":
      return strike.kind.replaceAll("-", " ")
  }
}

async function carryOut(going: Going, strike: Strike, moment: Moment): Promise<void> {
  const { stage } = going
  const { clock, redis } = stage.ground
  switch (strike.kind) {
    case "kill":
      await clock.wait(strike.restartMs)
      return moment.replica?.start()
    case "redis-restart":
      return redis.crash()
    case "redis-restored":
      return bringBack(going, strike.lostMs, moment)
    case "redis-away":
      return takeAway(stage, strike, moment)
    case "platform":
      return void failPlatform(stage.platform.proxy, strike)
    case "slack":
      return stage.sandbox.faults.web(strike.method, strike.fault, { times: strike.times })
    case "lost-post":
      return losePost(stage, strike)
    case "delivery":
      return stage.sandbox.faults.delivery(strike.fault)
    case "sockets":
      return turnAway(stage, strike, moment)
    case "outage":
      return breakOff(stage, strike, moment)
    case "amnesia":
      stage.platform.hide(strike.how)
      moment.go()
      await clock.wait(lastingOf(stage, strike))
      return stage.platform.hide(null)
    case "platform-killed":
      return stage.platform.dieAtWork(strike)
    case "continue-cut":
      return outliveContinue(stage.platform.proxy, strike.workMs)
    case "stop":
      return stopForAWhile(stage, strike, moment)
    case "away":
    case "back":
      return changeAbsence(stage, strike, moment)
    case "propose":
      return proposeRules(stage, strike, moment)
    case "meanwhile":
      return meanwhile(going, strike, moment)
    case "rolling":
      return roll(stage, strike.apartMs)
  }
}

/** Less than what Redis may lose (R17), in ms. */
const mostLostMs = 3_000

async function bringBack({ stage, lost }: Going, lostMs: number, moment: Moment): Promise<void> {
  const { clock, redis } = stage.ground
  const from = clock.now()
  await redis.keep()
  moment.go()
  await clock.wait(lostMs)
  // On a machine that is too busy for a second to be one, nothing is lost: more than that would be no failover.
  if (clock.now() - from > mostLostMs) {
    stage.timeline.note("fault", "nothing is lost: the machine is too busy")
    return
  }
  await redis.restore()
  lost.push({ from, to: clock.now() })
}

async function takeAway(
  stage: Stage,
  { way, ms, all }: Extract<Strike, { kind: "redis-away" }>,
  { replica, go }: Moment,
): Promise<void> {
  const first = replica ?? stage.replicas[0]
  const those = all || first === undefined ? stage.replicas : [first]
  for (const one of those) one.redis.set(way)
  go()
  await stage.ground.clock.wait(ms)
  for (const one of those) one.redis.set("open")
}

function losePost({ sandbox: { faults } }: Stage, { looking, times }: Extract<Strike, { kind: "lost-post" }>): void {
  faults.web("chat.postMessage", { kind: "accept_then_never_answer" })
  for (const method of ["conversations.history", "conversations.replies"]) faults.web(method, looking, { times })
}

/** How long a socket may take to come again and be turned away, in ms. */
const greetingMs = 2_000

async function turnAway(
  { sandbox, ground }: Stage,
  { reason, times }: Extract<Strike, { kind: "sockets" }>,
  { go }: Moment,
): Promise<void> {
  sandbox.faults.socket(reason, times)
  sandbox.refreshSockets()
  go()
  await ground.clock.wait(greetingMs)
}

async function breakOff(stage: Stage, { of, ms }: Extract<Strike, { kind: "outage" }>, moment: Moment): Promise<void> {
  const { platform, sandbox, ground } = stage
  if (of === "redis") return takeAway(stage, { kind: "redis-away", way: "cut", ms, all: true }, moment)
  const times = Number.POSITIVE_INFINITY
  const down = { kind: "status", status: 503 } as const
  if (of === "slack") for (const method of slackMethods) sandbox.faults.web(method, down, { times })
  const back =
    of === "platform" ? failPlatform(platform.proxy, { kind: "platform", how: "down", on: "all", times }) : null
  moment.go()
  await ground.clock.wait(ms)
  if (of === "slack") sandbox.faults.clear()
  back?.()
}

/** What somebody does while a replica stands still. A press is only begun then: its ack may need that very replica. */
async function meanwhile(going: Going, strike: Extract<Strike, { kind: "meanwhile" }>, { go }: Moment): Promise<void> {
  const { stage, doings } = going
  const asked: Asked | undefined = doings.asked[0]
  if (asked === undefined) return
  const acted = act(stage, doings, asked, strike.act)
  if (strike.act.kind !== "press") await acted
  else await stage.ground.clock.wait(500)
  go()
  await acted
}

async function roll(stage: Stage, apartMs: number): Promise<void> {
  for (const replica of stage.replicas) replica.revision = 2
  for (const replica of stage.replicas) {
    await replica.stop()
    await replica.start()
    await stage.ground.clock.wait(apartMs)
  }
}
