// Links the page to the sandbox: the control API carries what a person does, the live socket what they see.
import { useEffect, useState } from "react"
import type { ClickPlace } from "../../user-actions/clicks.ts"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import type { Lead } from "../../user-actions/tour.ts"
import type { Choice, Choices } from "../../user-actions/values.ts"

/** A click on an element of a message or view. */
export interface ElementClick {
  readonly place: ClickPlace
  readonly action: string
  readonly block: string
  /** What was chosen, if it is a menu. */
  readonly choose?: Choice | undefined
  /** What the form around it holds. */
  readonly values?: Choices | undefined
}

/** Who acts, and who hears in words what went wrong. */
export interface SandboxClientOptions {
  readonly token: string
  readonly person: string
  readonly complain: (words: string) => void
}

/**
 * What one person can do. Each function resolves with whether the app took it; else `complain` hears why. None
 * rejects.
 */
export type SandboxClient = ReturnType<typeof createSandboxClient>

/** Makes the client of one person. */
export function createSandboxClient({ token, person, complain }: SandboxClientOptions) {
  const ask = async (path: string, body: object): Promise<ControlAnswer | undefined> => {
    try {
      const response = await fetch(`/control/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ person, ...body }),
      })
      const answer: ControlAnswer = await response.json()
      // All other failures come as a notice; a refused form itself shows what is wrong.
      const wrong = answer.message ?? (answer.reason === "not_in_threads" ? answer.detail : undefined)
      if (wrong !== undefined) complain(wrong)
      return answer
    } catch (error) {
      complain(`The sandbox could not be reached: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const send = async (path: string, body: object) => (await ask(path, body))?.ok ?? false
  return {
    click: (click: ElementClick) => send("click", click),
    submit: (view: string, values: Choices) => send("submit", { view, values }),
    close: (view: string) => send("close", { view }),
    command: (channel: string, line: string) => send("command", { channel, line }),
    shortcut: (callback: string, place: ClickPlace) => send("shortcut", { callback, place }),
    openHome: () => send("home", {}),
    /** Runs a try of the tour; undefined if it could not be started. */
    tryOut: async (id: string): Promise<Lead | undefined> => (await ask("try", { try: id }))?.lead,
  }
}

/** The answer of the control API: an outcome, or why the person could not do that. */
interface ControlAnswer {
  readonly ok?: boolean
  readonly reason?: string
  readonly detail?: string
  readonly message?: string
  readonly lead?: Lead
}

/** What the page knows. While the connection is lost, `reached` is false, and `seen` may be old. */
export interface LiveState {
  readonly seen: Snapshot | undefined
  readonly reached: boolean
}

const firstRetryMs = 250
const lastRetryMs = 4_000

/** Follows what this person sees. An empty id means the workspace's first person. Reconnects, less and less often. */
export function useLive(token: string, person: string): LiveState {
  const [state, setState] = useState<LiveState>({ seen: undefined, reached: true })
  useEffect(() => follow(token, person, setState), [token, person])
  const other = person !== "" && state.seen?.me.id !== person
  return other ? { seen: undefined, reached: state.reached } : state
}

function follow(token: string, person: string, tell: (next: (before: LiveState) => LiveState) => void): () => void {
  let socket: WebSocket | undefined
  let timer: number | undefined
  let over = false
  const connect = (retryMs: number) => {
    const own = new WebSocket(`/live?${new URLSearchParams({ token, as: person }).toString()}`)
    let opened = false
    socket = own
    own.onmessage = ({ data }: MessageEvent<string>) => {
      opened = true
      const seen: Snapshot = JSON.parse(data)
      if (!over) tell(() => ({ seen, reached: true }))
    }
    own.onclose = () => {
      if (over) return
      tell((before) => ({ ...before, reached: false }))
      const next = opened ? firstRetryMs : Math.min(retryMs * 2, lastRetryMs)
      timer = window.setTimeout(() => connect(next), next)
    }
  }
  connect(firstRetryMs)
  return () => {
    over = true
    window.clearTimeout(timer)
    socket?.close()
  }
}
