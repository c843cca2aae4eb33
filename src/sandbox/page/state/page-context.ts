// What all parts of the page share: what the person sees, what they can do, and where they can go.
import { createContext, useContext } from "react"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import type { MessageLink } from "./address.ts"
import type { SandboxClient } from "./sandbox-client.ts"
import type { TryState } from "./try-state.ts"

/** Where a message is. */
export interface MessagePlace {
  readonly channel: string
  readonly ts: string
}

/** What the page shares. */
export interface PageState {
  readonly seen: Snapshot
  readonly sandbox: SandboxClient
  /** Opens the thread of a message in the channel in front; an empty `ts` closes it. */
  readonly openThread: (ts: string) => void
  /** Goes to a message of this workspace, in any channel, and shows it. */
  readonly openMessage: (to: MessageLink) => void
  /** The message to which the newest link led, until somebody goes on. Each press of a link is a new object. */
  readonly pointed: MessagePlace | undefined
  readonly tries: TryState
}

/** Provided once, around the whole page. */
export const PageContext = createContext<PageState | undefined>(undefined)

/** What the page shares. Throws outside of the page. */
export function usePage(): PageState {
  const page = useContext(PageContext)
  if (!page) throw new Error("usePage is for parts of the page only")
  return page
}

/** The name of a person; an unknown id is its own name. */
export function nameOf(seen: Snapshot, id: string): string {
  if (id === seen.app.botUserId) return seen.app.name
  return seen.people.find((person) => person.id === id)?.realName ?? id
}
