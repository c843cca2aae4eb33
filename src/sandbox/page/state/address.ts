// The place where a person is in the workspace. The page's address keeps it, so that reloads and second windows work.

/** The place in front of a person: a channel, perhaps with a thread beside it, the app's Home, or the list of tries. */
export interface Address {
  readonly token: string
  /** The id of the person who uses the page. */
  readonly person: string
  /** A channel's id, `home` or `tries`. */
  readonly at: string
  /** The `ts` of the message whose thread is open; empty if none is. */
  readonly thread: string
}

/** The app's Home in `Address.at`. */
export const homePlace = "home"

/** The list of tries in `Address.at`. */
export const triesPlace = "tries"

/** Reads an address from a query such as `?token=…&as=U0ALICE&at=C0PAYMENTS`. Missing parts are empty. */
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
