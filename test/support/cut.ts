// Cuts a process off: it dies at its n-th call to the outside, before or after the call took effect. Nobody hears of it
// again.
import type { Ports } from "../../src/flow/ports.ts"

/** What a dead process would have thrown. No step may take it for a failure of a port. */
class Killed extends Error {}

/** Where the process dies: at which call, counted from 1, and on which side of it. */
export interface Cut {
  readonly call: number
  readonly side: "before" | "after"
}

/** A process that dies at the cut. `dead` says whether it came so far. */
export interface CutProcess {
  readonly ports: Ports
  readonly dead: () => boolean
}

/** The same ports, of a process that dies. */
export function cutOff(ports: Ports, cut: Cut): CutProcess {
  const state = { calls: 0, dead: false }
  const isDead = () => state.dead
  const die = (): never => {
    state.dead = true
    throw new Killed("the process was killed")
  }
  const around = async <T>(act: () => T): Promise<Awaited<T>> => {
    if (state.dead) return die()
    state.calls += 1
    const here = state.calls === cut.call
    if (here && cut.side === "before") return die()
    const result = await act()
    return here || isDead() ? die() : result
  }
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        // Whether a process is free it asks nobody outside.
        if (typeof member !== "function" || name === "isFree") return member
        const call = (given: unknown[]) => (member as (...all: unknown[]) => unknown)(...given)
        if (isWalk(name))
          return (...given: unknown[]) => eachAround(() => call(given) as AsyncIterable<unknown>, around)
        return (...given: unknown[]) => around(() => call(given))
      },
    })
  const alarm: Ports["alarm"] = (one) => {
    if (!state.dead) ports.alarm(one)
  }
  return { ports: { ...wrapPorts(ports, wrap), alarm }, dead: isDead }
}

/** True for what gives one thing after another, each of which takes a call. */
function isWalk(name: string | symbol): boolean {
  return name === "pending" || name === "openApprovals"
}

async function* eachAround<T>(
  open: () => AsyncIterable<T>,
  around: (act: () => T) => Promise<Awaited<T>>,
): AsyncGenerator<Awaited<T>> {
  for await (const item of open()) yield await around(() => item)
}

/** Runs a step in a process that dies at the cut. True if it died there, false if the step ended before. */
export async function runCutOff(ports: Ports, cut: Cut, step: (ports: Ports) => Promise<void>): Promise<boolean> {
  const cutProcess = cutOff(ports, cut)
  try {
    await step(cutProcess.ports)
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  return cutProcess.dead()
}

/**
 * The same ports, where somebody else acts just before the n-th call (from 1). `acted` says whether it came to that.
 * Calls to `spared` are not counted.
 */
export function interrupt(ports: Ports, call: number, act: () => Promise<void>, spared?: object) {
  let calls = 0
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function" || isWalk(name) || port === spared) return member
        return async (...given: unknown[]) => {
          calls += 1
          if (calls === call) await act()
          return (member as (...all: unknown[]) => unknown)(...given)
        }
      },
    })
  return { ports: wrapPorts(ports, wrap), acted: () => calls >= call }
}

function wrapPorts(ports: Ports, wrap: <T extends object>(port: T) => T): Ports {
  const { store, identityLinks, views, chat, people, jobs, tickets, pace, continues, backlog, summaries } = ports
  const outside = {
    store: wrap(store),
    identityLinks: wrap(identityLinks),
    views: wrap(views),
    chat: wrap(chat),
    people: wrap(people),
    jobs: wrap(jobs),
    tickets: wrap(tickets),
    pace: wrap(pace),
    continues: wrap(continues),
    floods: wrap(backlog),
    summaries: wrap(summaries),
  }
  const platforms = new Map([...ports.platforms].map(([name, platform]) => [name, wrap(platform)]))
  const runs = new Map([...ports.runs].map(([name, one]) => [name, wrap(one)]))
  return { ...ports, ...outside, platforms, runs }
}
