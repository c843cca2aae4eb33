// Replaces this process' clock and timers by simulated ones, which stand still until somebody moves time on. Import it
// before anything that reads a clock or waits. So a busy machine makes a seed slower, but never makes anything in it
// late.
import { AsyncResource } from "node:async_hooks"
import { syncBuiltinESMExports } from "node:module"
import timers from "node:timers"
import waits from "node:timers/promises"
import { promisify } from "node:util"

/** Waits that are not of the simulation: they take real time. */
export const realTimeout = globalThis.setTimeout
const realClear = globalThis.clearTimeout
const realNow = Date.now

let now = Number(process.env["FAULTS_NOW"] ?? realNow())
let skewMs = 0
let made = 0
const running = new Map<number, SimTimer>()

/** The simulated time, epoch ms, without this process' skew. */
export function simNow(): number {
  return now
}

/** From now on this process' clock is so many ms ahead of the others', or behind them. */
export function setSkew(ms: number): void {
  skewMs = ms
}

/** Moves time on and runs what is due, in order. */
export function moveOn(to: number): void {
  now = Math.max(now, to)
  const due = [...running.values()].filter((timer) => timer.due <= now).toSorted((a, b) => a.due - b.due || a.id - b.id)
  for (const timer of due) if (running.has(timer.id)) timer.fire()
}

class SimTimer {
  readonly id: number
  due: number
  readonly #run: () => void
  readonly #ms: number
  readonly #again: boolean

  constructor(run: () => void, ms: number, again: boolean) {
    made += 1
    this.id = made
    this.#run = AsyncResource.bind(run)
    this.#ms = ms
    this.#again = again
    this.due = now + ms
    running.set(this.id, this)
  }

  fire(): void {
    if (this.#again) this.due = now + this.#ms
    else running.delete(this.id)
    this.#run()
  }

  refresh(): this {
    this.due = now + this.#ms
    running.set(this.id, this)
    return this
  }

  close(): this {
    running.delete(this.id)
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.close()
  }

  [Symbol.toPrimitive](): number {
    return this.id
  }
}

type Run = (...given: unknown[]) => void

/** What only gives others a turn takes no simulated time. */
const soonestMs = 2

function simTimeout(run: Run, ms = 0, ...given: unknown[]) {
  if (!(ms >= soonestMs)) return realTimeout(run, ms, ...given)
  return new SimTimer(() => run(...given), ms, false)
}

function simInterval(run: Run, ms = 0, ...given: unknown[]): SimTimer {
  return new SimTimer(() => run(...given), Math.max(soonestMs, ms), true)
}

function simClear(timer: unknown): void {
  if (timer instanceof SimTimer) timer.close()
  else if (typeof timer === "number") running.get(timer)?.close()
  else realClear(timer as NodeJS.Timeout | undefined)
}

/** Like `setTimeout` of `node:timers/promises`. */
function simWait<T>(ms = 0, value?: T, options: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>()
  const { signal } = options
  const timer = simTimeout(() => resolve(value), ms)
  const abort = () => {
    simClear(timer)
    reject(new DOMException("The operation was aborted", "AbortError"))
  }
  if (signal?.aborted === true) abort()
  signal?.addEventListener("abort", abort, { once: true })
  return promise.finally(() => signal?.removeEventListener("abort", abort))
}

class SimDate extends Date {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [SimDate.now()] : given) as [number]))
  }

  static override now(): number {
    return now + skewMs
  }
}

function simLimit(ms: number): AbortSignal {
  const controller = new AbortController()
  const late = () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"))
  simTimeout(late, Math.max(soonestMs, ms))
  return controller.signal
}

Object.defineProperty(simTimeout, promisify.custom, { value: simWait })
const replaced = {
  setTimeout: simTimeout,
  setInterval: simInterval,
  clearTimeout: simClear,
  clearInterval: simClear,
}
Object.assign(globalThis, replaced, { Date: SimDate })
Object.assign(timers, replaced)
Object.assign(waits, { setTimeout: simWait })
AbortSignal.timeout = simLimit
syncBuiltinESMExports()
