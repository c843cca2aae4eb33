// Where somebody is in the workspace, kept in the page's address so that reloading and a second window work.

/** The place in front of somebody: a channel, perhaps with a thread beside it, or the app's Home. */
export interface Address {
  readonly token: string
  /** The id of the person who uses the page. */
  readonly person: string
  /** A channel's id, or `home`. */
  readonly at: string
  /** The `ts` of the message whose thread is open; empty for none. */
  readonly thread: string
}

/** What stands for the app's Home in `Address.at`. */
export const homePlace = "home"

/** Reads it from a query such as `?token=…&as=U0ALICE&at=C0PAYMENTS`; what is missing is empty. */
export function readAddress(query: string): Address {
  const found = new URLSearchParams(query)
  const of = (name: string) => found.get(name) ?? ""
  return { token: of("token"), person: of("as"), at: of("at"), thread: of("thread") }
}

/** The query that `readAddress` reads. */
export function writeAddress({ token, person, at, thread }: Address): string {
  const parts = Object.entries({ token, as: person, at, thread }).filter(([, value]) => value !== "")
  return `?${new URLSearchParams(parts).toString()}`
}
