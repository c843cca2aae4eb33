// What every part of the page shares: what the person sees, what they can do, and where they can go.
import { createContext, useContext } from "react"
import type { Snapshot } from "../user-actions/snapshot.ts"
import type { SlackAccount } from "../workspace/people.ts"
import type { Acts } from "./sandbox-client.ts"

/** The shared things. */
export interface Desk {
  readonly seen: Snapshot
  readonly acts: Acts
  /** Opens the thread of a message in the channel in front; an empty `ts` closes it. */
  readonly openThread: (ts: string) => void
  /** Goes to a message of this workspace, in whatever channel. */
  readonly openMessage: (channel: string, ts: string) => void
}

/** Provided once, around the whole page. */
export const DeskContext = createContext<Desk | undefined>(undefined)

/** The shared things. Throws outside of the page. */
export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (!desk) throw new Error("useDesk is for parts of the page only")
  return desk
}

/** How somebody is called; an unknown id is its own name. */
export function nameOf(seen: Snapshot, id: string): string {
  if (id === seen.app.botUserId) return seen.app.name
  return personIn(seen, id)?.realName ?? id
}

/** The person with this id, if there is one. */
export function personIn(seen: Snapshot, id: string): SlackAccount | undefined {
  return seen.people.find((person) => person.id === id)
}
