// The tries as one page has them: which is being started, and where the newest one led.
import { useRef, useState } from "react"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import type { Lead } from "../../user-actions/tour.ts"
import type { Address } from "./address.ts"
import { nameOf } from "./page-context.ts"
import type { SandboxClient } from "./sandbox-client.ts"

/** The tries of one page. */
export interface TryState {
  /** Where the newest try led; null before the first, and once its hint was closed. */
  readonly lead: Lead | null
  /** The id of the try or step that is on its way; empty if none is. */
  readonly busy: string
  /** Starts a try, or takes the next step of one. */
  readonly start: (id: string) => Promise<void>
  readonly close: () => void
}

/** Starts tries, and moves the page to where they lead. If that makes the person somebody else, the hint says so. */
export function useTries(
  seen: Snapshot | undefined,
  sandbox: SandboxClient,
  move: (change: Partial<Address>) => void,
): TryState {
  const [lead, setLead] = useState<Lead | null>(null)
  const [busy, setBusy] = useState("")
  const newest = useRef("")
  const follow = (found: Lead) => {
    const becomes = seen && seen.me.id !== found.person ? `You are ${nameOf(seen, found.person)} now. ` : ""
    move({ person: found.person, at: found.place.channel })
    setLead({ ...found, hint: becomes + found.hint })
  }
  // A second press of the same button waits for the first. If several buttons were pressed, the newest decides.
  const start = async (id: string) => {
    if (newest.current === id) return
    newest.current = id
    setBusy(id)
    const found = await sandbox.tryOut(id)
    if (newest.current !== id) return
    newest.current = ""
    setBusy("")
    if (found) follow(found)
  }
  return { lead, busy, start, close: () => setLead(null) }
}
