// Keeps track of what people try in the demo: which rounds of each try somebody played to the end.
import type { Sandbox } from "../../sandbox.ts"
import type { DemoOperator, DemoRow } from "./operator.ts"
import type { Scene } from "./scenes.ts"

/** What the rounds look at. */
interface RoundsOptions {
  readonly sandbox: Pick<Sandbox, "workspace" | "messages">
  readonly operator: Pick<DemoOperator, "read">
}

/** One press of a try's button, and what it started. */
interface Round {
  readonly id: string
  readonly scene: Scene
  /** The approvals for which the round waits. */
  readonly waiting: readonly string[]
  /** Where its card stands. */
  readonly ts: string
  /** True until somebody takes the second step, if the try is about that step. */
  readonly unfinished: boolean
}

/** What a round begins with: the approvals for which it waits, and where its card stands. */
interface Started {
  readonly rows: readonly DemoRow[]
  readonly ts: string
}

/** The rounds of all tries. */
export type Rounds = ReturnType<typeof watchRounds>

/**
 * Watches rounds. One ends when all that it started is decided, or as much of it as is enough, and its card shows what
 * the try waits for. Whenever the workspace changes, we ask the platform, and tell the workspace of the rounds that
 * ended.
 */
export function watchRounds({ sandbox, operator }: RoundsOptions) {
  const open = new Map<string, Round>()
  const ended = new Map<string, readonly string[]>()
  const { changes } = sandbox.workspace
  const end = ({ id, scene }: Round): void => {
    open.delete(id)
    ended.set(scene.id, [...(ended.get(scene.id) ?? []), id])
    changes.notify()
  }
  const shows = ({ channel, until = "" }: Scene, ts: string): boolean =>
    JSON.stringify(sandbox.messages(channel).find((message) => message.ts === ts)?.blocks ?? []).includes(until)
  const isOver = async ({ scene, waiting, ts, unfinished }: Round): Promise<boolean> => {
    if (unfinished || !shows(scene, ts)) return false
    const rows = await Promise.all(waiting.map((id) => operator.read(id)))
    const isDone = ({ status, run_status: run }: DemoRow) =>
      status !== "pending" && (scene.wholeRun !== true || run === "COMPLETED")
    return rows.filter(isDone).length >= (scene.enough ?? rows.length)
  }
  const look = async (): Promise<void> => {
    for (const round of open.values()) if (await isOver(round)) end(round)
  }
  const onChange = oneAtATime(look)
  changes.subscribe(onChange)
  return {
    /** A round begins. */
    begin: (id: string, scene: Scene, { rows, ts }: Started): void => {
      const unfinished = scene.next?.change !== undefined || scene.next?.asks !== undefined
      open.set(id, { id, scene, waiting: rows.map((row) => row.id), ts, unfinished })
      onChange()
    },
    /** Somebody took the round's second step, which asked for these approvals. */
    goOn: (id: string, rows: readonly DemoRow[]): void => {
      const round = open.get(id)
      if (round === undefined) return
      open.set(id, { ...round, waiting: [...round.waiting, ...rows.map((row) => row.id)], unfinished: false })
    },
    /** The rounds of this try that somebody played to the end. */
    ended: (scene: string): readonly string[] => ended.get(scene) ?? [],
  }
}

/** Calls that come while one runs become a single call after it. If a call fails, the next one makes up for it. */
function oneAtATime(work: () => Promise<void>): () => void {
  let busy = false
  let due = false
  const start = (): void => {
    due = busy
    if (busy) return
    busy = true
    void work()
      .catch(() => undefined)
      .finally(() => {
        busy = false
        if (due) start()
      })
  }
  return start
}
