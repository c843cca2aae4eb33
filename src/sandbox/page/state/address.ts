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
  /** The `ts` of the message to which a link led; empty for the end of the place. */
  readonly message: string
}

/** A link to a message. `thread` is empty, or the `ts` of the message in whose thread it is. */
export interface MessageLink {
  readonly channel: string
  readonly ts: string
  readonly thread: string
}

/** The app's Home in `Address.at`. */
export const homePlace = "home"

/** The list of tries in `Address.at`. */
export const triesPlace = "tries"

const keptAs = "sandbox-person"

/** As `readAddress`. If a link from elsewhere leads here, it is for the person who used the page last. */
export function firstAddress(query: string): Address {
  const found = readAddress(query)
  if (found.message === "" || found.person !== "") return found
  return { ...found, person: localStorage.getItem(keptAs) ?? "" }
}

/** Keeps in this browser who uses the page. */
export function keepPerson(person: string): void {
  if (person !== "") localStorage.setItem(keptAs, person)
}

/** Reads an address from a query such as `?token=…&as=U0ALICE&at=C0PAYMENTS`. Missing parts are empty. */
export function readAddress(query: string): Address {
  const found = new URLSearchParams(query)
  const of = (name: string) => found.get(name) ?? ""
  return { token: of("token"), person: of("as"), at: of("at"), thread: of("thread"), message: of("message") }
}

/** The query that `readAddress` reads. */
export function writeAddress({ token, person, at, thread, message }: Address): string {
  const parts = Object.entries({ token, as: person, at, thread, message }).filter(([, value]) => value !== "")
  return `?${new URLSearchParams(parts).toString()}`
}
