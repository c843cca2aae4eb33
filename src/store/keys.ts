// The names of all keys in Redis. One hash tag holds an installation together, so that one script may touch them all in a cluster.

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
  /** Sorted set of case ids with work left, by when the case was opened. */
  readonly unfinished: string
  /** Sorted set of the ids of open and sending cases, by when the approval was made. */
  readonly list: string
  /** Sorted set of the ids of settled and closed cases, by when they were settled. */
  readonly settled: string
  /** Hash: one case. */
  readonly case: (caseId: string) => string
  /** Hash: an e-mail pinned to a person (R7); named by a MAC, so that no address stands in a key. */
  readonly pin: (name: string) => string
  /** List: the sequence numbers of one chain's entries. */
  readonly chain: (chain: string) => string
  /** Hash: the receipt of one decision, as field `jws`; the ledger holds its hash. */
  readonly receipt: (decisionId: string) => string
  /** Hash: the public keys that receipts and checkpoints were ever signed with. */
  readonly signingKeys: string
  /** Hash: approval id → what its case was last compared with (`markOf`), "" once settled. */
  readonly known: (instance: string) => string
  /** Set: ids of approvals whose cases are open or sending. */
  readonly open: (instance: string) => string
  /** String: a consumed interaction; kept for 24 h (R11). */
  readonly interaction: (id: string) => string
  /** String: a view that we opened, sealed; kept for a day (R18). */
  readonly view: (viewId: string) => string
  /** Sorted set of people by when they opened their Home; hash of what each shows; mark that some case changed. */
  readonly homes: { readonly opened: string; readonly shown: string; readonly changed: string }
  /** Hash and sorted set: when a Slack channel may get its next messages. */
  readonly pace: (channel: string) => { readonly state: string; readonly slots: string }
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
    unfinished: `${tag}:unfinished`,
    list: `${tag}:list`,
    settled: `${tag}:settled`,
    case: (caseId) => `${tag}:case:${caseId}`,
    pin: (name) => `${tag}:pin:${name}`,
    chain: (chain) => `${tag}:chain:${chain}`,
    receipt: (decisionId) => `${tag}:receipt:${decisionId}`,
    signingKeys: `${tag}:signing-keys`,
    known: (instance) => `${tag}:known:${instance}`,
    open: (instance) => `${tag}:open:${instance}`,
    interaction: (id) => `${tag}:interaction:${id}`,
    view: (viewId) => `${tag}:view:${viewId}`,
    pace: (channel) => ({ state: `${tag}:pace:${channel}`, slots: `${tag}:pace-slots:${channel}` }),
    homes: { opened: `${tag}:homes`, shown: `${tag}:homes-shown`, changed: `${tag}:homes-changed` },
    queue: `${tag}:queue`,
  }
}

/** The name of a chain in the ledger: which record its entries are about. */
export const chainOf = {
  case: (caseId: string) => `case:${caseId}`,
  pin: (name: string) => `pin:${name}`,
  config: "config",
  installation: "installation",
  signingKeys: "signing-keys",
} as const
