// The names of all keys in Redis, under one hash tag, so that a script may touch them all in a cluster.

/** The key names of one installation. */
export interface Keys {
  /** What every key begins with: `{countersign:<installation>}`. */
  readonly tag: string
  /** Hash: the key that seals this installation (R14). */
  readonly installation: string
  /** Hash: the active config revision (R16). */
  readonly config: string
  /** Stream: the ledger; entry ids are `<sequence number>-0`. */
  readonly ledger: string
  /** String: the last sequence number of the ledger. */
  readonly sequence: string
  /** Sorted set of the ids of all cases, by when they were first seen; a case never moves in it. */
  readonly cases: string
  /** Sorted set of case ids with work left, by when the case was opened. */
  readonly unfinished: string
  /** Sorted set of the ids of open and sending cases, by when the approval was made. */
  readonly list: string
  /** Sorted set by name: `<case id>:<case id>` and `<approval id>:<case id>` of open and sending cases, by prefix. */
  readonly beginnings: string
  /** Sorted set of the ids of open cases, by when something is due on them next. */
  readonly deadlines: string
  /** Sorted set of the ids of settled and closed cases, by when they were settled. */
  readonly settled: string
  /** Hash: one case. */
  readonly case: (caseId: string) => string
  /** Hash: the identity link of an e-mail (R7); named by a MAC, so that no address stands in a key. */
  readonly identityLink: (name: string) => string
  /** Hash: how far an instance's audit rows are in the ledger. */
  readonly audits: (instance: string) => string
  /** List: the sequence numbers of one chain's entries. */
  readonly chain: (chain: string) => string
  /** Hash: the receipt of one decision, sealed, as field `sealed`; the ledger holds its hash. */
  readonly receipt: (decisionId: string) => string
  /** Hash: an entry's free text, names and e-mails, sealed in field `sealed`; named by the salted hash in the entry. */
  readonly erasable: (hash: string) => string
  /** Hash: the public keys that receipts and checkpoints were ever signed with. */
  readonly signingKeys: string
  /** Hash: approval id → what its case was last compared with (`markOf`), "" once settled. */
  readonly known: (instance: string) => string
  /** Set: ids of approvals whose cases are open or sending. */
  readonly open: (instance: string) => string
  /** Sorted set by name: `<call>:<case id>` of cases that are not closed, by each of their calls (`callKeysOf`). */
  readonly calls: (instance: string) => string
  /** String: a consumed interaction; kept for 24 h (R11). */
  readonly interaction: (id: string) => string
  /** String: in which case's name a decision's run is continued; kept for 30 days. */
  readonly continued: (decisionId: string) => string
  /** String: a view that we opened, sealed; kept for a day (R18). */
  readonly view: (viewId: string) => string
  /** String: which card was looked at last. */
  readonly looked: string
  /** String: what Slack said a moment ago, sealed; named by a MAC, so that no address stands in a key. */
  readonly answer: (name: string) => string
  /** Sorted set of people by when they opened their Home; hash of what each shows; mark that some case changed. */
  readonly homes: { readonly opened: string; readonly shown: string; readonly changed: string }
  /** Hash, list and two sorted sets: when a rate-limit bucket of Slack may be used next (`pace-script.ts`). */
  readonly pace: (lane: string) => Readonly<Record<"state" | "taken" | "line" | "due", string>>
  /** Set: ids of open cases that have admission, of an instance and of one of its agents (R20). */
  readonly roomed: (instance: string, agent?: string) => string
  /** Sorted set by name: `<agent>:<when made>:<case id>` of the open cases that wait for admission. */
  readonly waiting: (instance: string) => string
  /** Hash: how each instance's polls went last, sealed, and which troubles with them were told. */
  readonly polls: string
  /** String: paused runs of an instance that nobody is asked about, sealed; and one that delays the next look. */
  readonly pauses: (instance: string) => Readonly<Record<"record" | "turn", string>>
  /** Hash: troubles that the operator was told of and that are not over. */
  readonly troubles: string
  /** Sorted set of the ids of open cases without a card of their own on a route, by when their approvals were made. */
  readonly uncarded: (route: string) => string
  /** String: the summary that hangs on a route, sealed; set of the routes that have one. */
  readonly summary: (route: string) => string
  readonly summaries: string
  /** Hash: the heads of all chains that may still count, in sealed parts by the hash of what they hold. */
  readonly heads: string
  /** Hash: lists of such parts, sealed; a checkpoint names one by its hash. */
  readonly headLists: string
  /** Hash: the replicas that run, each with when it was last heard of, sealed. */
  readonly replicas: string
  /** Hash: questions about where the ledger ends, and the replicas' answers, sealed; gone after a minute. */
  readonly vouching: string
  /** Hash: the sockets that the replicas have open to Slack; gone a minute after the last was heard of. */
  readonly sockets: string
  /** What the queue's keys begin with. */
  readonly queue: string
}

/** The key names of an installation. */
export function createKeys(installation: string): Keys {
  const tag = `{countersign:${installation}}`
  return {
    tag,
    installation: `${tag}:installation`,
    config: `${tag}:config`,
    ledger: `${tag}:ledger`,
    sequence: `${tag}:sequence`,
    cases: `${tag}:cases`,
    unfinished: `${tag}:unfinished`,
    list: `${tag}:list`,
    beginnings: `${tag}:beginnings`,
    deadlines: `${tag}:deadlines`,
    settled: `${tag}:settled`,
    case: (caseId) => `${tag}:case:${caseId}`,
    identityLink: (name) => `${tag}:pin:${name}`,
    audits: (instance) => `${tag}:audits:${instance}`,
    chain: (chain) => `${tag}:chain:${chain}`,
    receipt: (decisionId) => `${tag}:receipt:${decisionId}`,
    erasable: (hash) => `${tag}:side:${hash}`,
    signingKeys: `${tag}:signing-keys`,
    known: (instance) => `${tag}:known:${instance}`,
    open: (instance) => `${tag}:open:${instance}`,
    calls: (instance) => `${tag}:calls:${instance}`,
    interaction: (id) => `${tag}:interaction:${id}`,
    continued: (decisionId) => `${tag}:continued:${decisionId}`,
    view: (viewId) => `${tag}:view:${viewId}`,
    pace: (lane) => ({
      state: `${tag}:pace:${lane}`,
      taken: `${tag}:pace-taken:${lane}`,
      line: `${tag}:pace-line:${lane}`,
      due: `${tag}:pace-due:${lane}`,
    }),
    roomed: (instance, agent) => `${tag}:roomed:${instance}${agent === undefined ? "" : `:${agent}`}`,
    waiting: (instance) => `${tag}:waiting:${instance}`,
    polls: `${tag}:polls`,
    pauses: (instance) => ({ record: `${tag}:pauses:${instance}`, turn: `${tag}:pauses-turn:${instance}` }),
    troubles: `${tag}:troubles`,
    uncarded: (route) => `${tag}:uncarded:${route}`,
    summary: (route) => `${tag}:summary:${route}`,
    summaries: `${tag}:summaries`,
    looked: `${tag}:looked`,
    answer: (name) => `${tag}:answer:${name}`,
    homes: { opened: `${tag}:homes`, shown: `${tag}:homes-shown`, changed: `${tag}:homes-changed` },
    heads: `${tag}:heads`,
    headLists: `${tag}:head-lists`,
    replicas: `${tag}:replicas`,
    vouching: `${tag}:vouching`,
    sockets: `${tag}:sockets`,
    queue: `${tag}:queue`,
  }
}

/** The name of a chain in the ledger: which record its entries are about. */
export const chainOf = {
  case: (caseId: string) => `case:${caseId}`,
  identityLink: (name: string) => `pin:${name}`,
  audits: (instance: string) => `audits:${instance}`,
  config: "config",
  installation: "installation",
  signingKeys: "signing-keys",
} as const

/** True for the chain of an instance's audit rows. */
export function isAuditChain(chain: string): boolean {
  return chain.startsWith("audits:")
}

/** True for the chain of a case. */
export function isCaseChain(chain: string): boolean {
  return chain.startsWith("case:")
}

/** True for the chain of an identity link. */
export function isLinkChain(chain: string): boolean {
  return chain.startsWith("pin:")
}
