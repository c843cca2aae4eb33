// The page's live socket: the newest snapshot of one person, and whether the sandbox can still be reached.
import { useEffect, useState } from "react"
import type { Snapshot } from "../user-actions/snapshot.ts"

/** What the page knows. `reached` is false while the connection is lost, when the snapshot may be old. */
export interface LiveState {
  readonly seen: Snapshot | undefined
  readonly reached: boolean
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 4_000

/** Follows what this person sees; an empty id is the workspace's first person. Reconnects by itself, less and less often. */
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
      const next = opened ? FIRST_RETRY_MS : Math.min(retryMs * 2, LAST_RETRY_MS)
      timer = window.setTimeout(() => connect(next), next)
    }
  }
  connect(FIRST_RETRY_MS)
  return () => {
    over = true
    window.clearTimeout(timer)
    socket?.close()
  }
}
