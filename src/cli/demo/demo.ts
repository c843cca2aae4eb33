// countersign demo: the whole thing on this machine, with nobody's account.
import { randomBytes } from "node:crypto"
import { stopped } from "../run.ts"
import type { Terminal } from "../terminal.ts"
import { playLive } from "./live.ts"
import { playOnce } from "./once.ts"
import { openStage } from "./stage.ts"

/** Runs the demo: live until a signal, or once by itself. Throws if `--once` does not end as it should. */
export async function demo(
  terminal: Terminal,
  options: { readonly once: boolean; readonly port: number },
): Promise<void> {
  const stage = await openStage({ terminal, port: options.port })
  try {
    if (options.once) await playOnce(stage, terminal, (size) => randomBytes(size))
    else await playUntilStopped(terminal, stage)
  } finally {
    await stage.close()
  }
}

async function playUntilStopped(terminal: Terminal, stage: Awaited<ReturnType<typeof openStage>>): Promise<void> {
  const end = new AbortController()
  const signal = stopped().then(() => end.abort())
  await Promise.all([signal, playLive(stage, terminal, end.signal)])
}
