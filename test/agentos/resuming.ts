// What the tests of resuming start from: a bot that continues runs of a real AgentOS, behind a proxy that can fail.
import { card, type Seen } from "../stories/acts.ts"
import type { Stage, WorldOptions } from "../stories/world.ts"
import { type FaultyProxy, startFaultyProxy } from "../support/faulty-proxy.ts"
import { aJwt } from "./agentos.ts"
import { type Run, startRun } from "./drive.ts"
import type { Here } from "./stages.ts"

/** The least with which runs of agents and teams are continued; `config:read` is for several databases. */
export const RUNNER = ["agents:run", "agents:read", "teams:run", "teams:read", "sessions:read", "config:read"]

/** `url`: past the proxy, which then sees nothing. */
type Options = WorldOptions & { readonly token?: string; readonly url?: string }

/** A bot that resumes, and the run whose card it shows. */
export interface Resuming {
  readonly stage: Stage
  readonly proxy: FaultyProxy
  readonly run: Awaited<ReturnType<typeof startRun>>
  readonly open: Seen
  /** Paths of the continues that were sent, and of the cancels. */
  readonly pushes: () => readonly string[]
}

/** Starts a bot of `resume: decided` and a run that pauses; `words` are on its card. */
export async function resuming(
  here: Here,
  run: Run,
  words = "delete_user_data",
  options: Options = {},
): Promise<Resuming> {
  const { stage, proxy, pushes } = await aResumingStage(here, options)
  const started = await startRun(here.os(), run)
  return { stage, proxy, run: started, open: await card(stage, words), pushes }
}

/** The bot alone. */
export async function aResumingStage({ os, aStage, closing }: Here, options: Options = {}) {
  const proxy = await startFaultyProxy(os().url)
  closing(() => proxy.close())
  const stage = await aStage({ resume: "decided", resumeToken: await aJwt(RUNNER), url: proxy.url, ...options })
  const pushes = () => proxy.passed.map((one) => one.path).filter((path) => /\/(continue|cancel)$/.test(path))
  return { stage, proxy, pushes }
}
