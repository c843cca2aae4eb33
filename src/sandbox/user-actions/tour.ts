// A tour of the app: what the page offers under "Try", and where each try leads. Whoever starts a sandbox brings it.

/** One thing to try: a button on the page. */
export interface Try {
  readonly id: string
  /** The words on the button. */
  readonly label: string
  /** What it shows, in one sentence. */
  readonly about: string
}

/** Where a try leads. */
export interface Lead {
  /** The message to look at. */
  readonly place: { readonly channel: string; readonly ts: string }
  /** The id of the person to be. */
  readonly person: string
  /** What to do there, and what will happen. */
  readonly hint: string
  /** The next step of the same try, or null: `run` with this id. */
  readonly next: { readonly id: string; readonly label: string } | null
}

/** Where the auditor's page is, and the cookie that signs a browser on this machine in there. */
export interface AuditDoor {
  readonly url: string
  readonly cookie: { readonly name: string; readonly value: string; readonly path: string }
}

/** The whole tour. */
export interface Tour {
  readonly tries: readonly Try[]
  /** Does what the try says; resolves once there is something to look at. Throws `SandboxError` for an unknown id. */
  readonly run: (id: string) => Promise<Lead>
  readonly auditDoor: () => Promise<AuditDoor>
}
