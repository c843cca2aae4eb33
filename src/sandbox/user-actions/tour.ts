// A tour of the app: what the page offers to try, and where each try leads. Whoever starts the sandbox brings it.

/** One thing to try: a line of the page's list. */
export interface Try {
  readonly id: string
  /** What the try's button is called. */
  readonly label: string
  /** What the try shows, in one sentence. */
  readonly about: string
  /** What the try showed. At the end the page says this after “That was: ”. */
  readonly was: string
  /** The rounds (`Lead.round`) that somebody played to the end. */
  readonly ended: readonly string[]
}

/** Where a try leads the person. */
export interface Lead {
  readonly try: string
  /** Names this round of the try: each press of the try's button begins a new round. */
  readonly round: string
  /** The message to look at. */
  readonly place: { readonly channel: string; readonly ts: string }
  /** The id of the person to act as. */
  readonly person: string
  /** What to do there, and what will happen. */
  readonly hint: string
  /** The next step of the same try, or null. Give its id to `run` to take the step. */
  readonly next: { readonly id: string; readonly label: string } | null
}

/** Where the auditor's page is, and the cookie that signs in a browser on this machine. */
export interface AuditDoor {
  readonly url: string
  readonly cookie: { readonly name: string; readonly value: string; readonly path: string }
}

/** The whole tour. */
export interface Tour {
  /** What the page says before the list: what this is. */
  readonly welcome: string
  /** What to press first: said while nothing was tried. */
  readonly first: string
  /** Said once all was tried. A link to the auditor's page follows. */
  readonly last: string
  /** The tries as they are now. */
  readonly tries: () => readonly Try[]
  /** Does what the try says. Resolves once there is something to look at. Throws `SandboxError` for an unknown id. */
  readonly run: (id: string) => Promise<Lead>
  readonly auditDoor: () => Promise<AuditDoor>
}
