// The names of all keys in Redis, under one hash tag, so that a script may touch them all in a cluster.

/** The key names of an installation. */
export function createKeys(installation: string) {
  const tag = `{countersign:${installation}}`
  return {
    /** What every key begins with: `{countersign:<installation>}`. */
    tag,
    /** Hash: the key that seals this installation (R14). */
    installation: `${tag}:installation`,
    /** Hash: the active config revision (R16). */
    config: `${tag}:config`,
    /** Hash: what proposals of another config say, and how they were resolved, sealed, by proposal. */
    proposals: `${tag}:proposals`,
    /** Stream: the ledger; entry ids are `<sequence number>-0`. */
    ledger: `${tag}:ledger`,
    /** String: the last sequence number of the ledger. */
    sequence: `${tag}:sequence`,
    /** Sorted set of the ids of all cases, by when they were first seen; a case never moves in it. */
    cases: `${tag}:cases`,
    /** Sorted set of ids of cases with work left, by when the case was opened. */
    unfinished: `${tag}:unfinished`,
    /** Sorted set of the ids of open and sending cases, by when the approval was made. */
    list: `${tag}:list`,
    /** Sorted set, ordered by name: `<case id>` and `<approval id>:<case id>` of each open or sending case. */
    beginnings: `${tag}:beginnings`,
    /** Sorted set of ids of open cases, by when something is next due on them. */
    deadlines: `${tag}:deadlines`,
    /** Sorted set of the ids of settled and closed cases, by when they were settled. */
    settled: `${tag}:settled`,
    /** Hash: one case, with the sequence numbers of its entries. */
    case: (caseId: string) => `${tag}:case:${caseId}`,
    /** Hash: the identity link of an e-mail (R7); named by a MAC, so that no address stands in a key. */
    identityLink: (name: string) => `${tag}:link:${name}`,
    /** Hash: how far an instance's audit rows are in the ledger. */
    audits: (instance: string) => `${tag}:audits:${instance}`,
    /** Hash: the sum of a limit, by `sumName`. */
    sum: (name: string) => `${tag}:sum:${name}`,
    /** Hash: what is remembered of the approved calls of a tool and a caller, by `fingerprintName`. */
    fingerprint: (name: string) => `${tag}:fingerprint:${name}`,
    /** Sorted set of the names of fingerprints, by the day of the oldest thing that each holds. */
    fingerprints: `${tag}:fingerprints`,
    /** List: the sequence numbers of a chain's entries; a case has them in its record. */
    chain: (chain: string) => `${tag}:chain:${chain}`,
    /** Hash: the receipt of one decision, sealed, as field `sealed`; the ledger holds its hash. */
    receipt: (decisionId: string) => `${tag}:receipt:${decisionId}`,
    /** Hash: until when we list each decision that ended without effect, sealed. */
    ended: `${tag}:ended`,
    /** Hash: an entry's free text, names and e-mails, as field `sealed`; named by the salted hash in the entry. */
    erasable: (hash: string) => `${tag}:erasable:${hash}`,
    /** Hash: the public keys that receipts and checkpoints were ever signed with. */
    signingKeys: `${tag}:signing-keys`,
    /** Hash: approval id of an open or sending case → what we last compared the approval with (`markOf`). */
    known: (instance: string) => `${tag}:known:${instance}`,
    /** Sorted set, ordered by name: `<call>:<case id>` for each call (`callKeysOf`) of each case that is not closed. */
    calls: (instance: string) => `${tag}:calls:${instance}`,
    /** Sorted set, ordered by name: `<session>:<case id>` (`sessionKey`) of each case whose counterproposal is open. */
    sentBack: (instance: string) => `${tag}:sent-back:${instance}`,
    /** String: a consumed interaction; kept for 24 h (R11). */
    interaction: (id: string) => `${tag}:interaction:${id}`,
    /** String: which case continues the run of a decision; kept for 30 days. */
    continued: (decisionId: string) => `${tag}:continued:${decisionId}`,
    /** Hash of sealed interactions that are not carried out yet, by ticket; sorted set: when each may be taken up. */
    tickets: { sealed: `${tag}:tickets`, due: `${tag}:tickets-due` },
    /** String: a view that we opened, sealed; kept for a day (R18). */
    view: (viewId: string) => `${tag}:view:${viewId}`,
    /** Hash, list and two sorted sets: when a rate-limit bucket of Slack may be used next (`pace-script.ts`). */
    pace: (bucket: string) => ({
      state: `${tag}:pace:${bucket}`,
      taken: `${tag}:pace-taken:${bucket}`,
      line: `${tag}:pace-line:${bucket}`,
      due: `${tag}:pace-due:${bucket}`,
    }),
    /** Set: ids of an agent's open cases that have admission (R20). */
    admitted: (instance: string, agent: string) => `${tag}:admitted:${instance}:${agent}`,
    /** Sorted set, ordered by name: `<agent>:<when made>:<case id>` of the open cases that wait for admission. */
    waiting: (instance: string) => `${tag}:waiting:${instance}`,
    /** Hash: how the last polls of each instance went, sealed, and which troubles with polls we told of. */
    polls: `${tag}:polls`,
    /** Strings: an instance's paused runs that nobody is asked about, sealed; and what delays the next look. */
    pauses: (instance: string) => ({ record: `${tag}:pauses:${instance}`, turn: `${tag}:pauses-turn:${instance}` }),
    /** Hash: troubles that have not ended, and of which we told the operator. */
    troubles: `${tag}:troubles`,
    /** Hash: which messages about orders were sent or are being sent; the absences that they are about, sealed. */
    told: `${tag}:told`,
    /** Sorted set of ids of open cases that have no card of their own on a route, by when the approval was made. */
    uncarded: (route: string) => `${tag}:uncarded:${route}`,
    /** Hash: the summary that is posted on a route, sealed. Set: the routes that have a summary. */
    summary: (route: string) => `${tag}:summary:${route}`,
    summaries: `${tag}:summaries`,
    /** String: which card was looked at last. */
    looked: `${tag}:looked`,
    /** String: a recent answer of Slack, sealed; named by a MAC, so no address stands in a key. */
    answer: (name: string) => `${tag}:answer:${name}`,
    /** Sorted set: people by when they opened their Home. Hash: what each Home shows. Mark that some case changed. */
    homes: { opened: `${tag}:homes`, shown: `${tag}:homes-shown`, changed: `${tag}:homes-changed` },
    /** Hash: the heads of all chains that may still count, in sealed parts, each named by its hash. */
    heads: `${tag}:heads`,
    /** Hash: lists of parts of `heads`, sealed; a checkpoint names a list by its hash. */
    headLists: `${tag}:head-lists`,
    /** Hash: the replicas that run, each with when it was last heard of, sealed. */
    replicas: `${tag}:replicas`,
    /** Hash: questions about where the ledger ends, and the replicas' answers, sealed; gone after a minute. */
    vouching: `${tag}:vouching`,
    /** Hash: the sockets that the replicas have open to Slack; gone a minute after the last sign of one. */
    sockets: `${tag}:sockets`,
    /** String: what a process writes and reads to see whether Redis takes writes; gone after ten seconds. */
    probe: `${tag}:probe`,
    /** Hash: how far each webhook is, sealed, by its name. Hash: the numbers of entries that it gave up, sealed. */
    webhooks: `${tag}:webhooks`,
    deadLetters: (webhook: string) => `${tag}:dead-letters:${webhook}`,
    /** What the queue's keys begin with. */
    queue: `${tag}:queue`,
  }
}

/** The key names of one installation. */
export type Keys = Readonly<ReturnType<typeof createKeys>>

/** The name of a chain in the ledger: which record its entries are about. */
export const chainOf = {
  case: (caseId: string) => `case:${caseId}`,
  identityLink: (name: string) => `link:${name}`,
  audits: (instance: string) => `audits:${instance}`,
  sum: (name: string) => `sum:${name}`,
  fingerprint: (name: string) => `fingerprint:${name}`,
  config: "config",
  installation: "installation",
  signingKeys: "signing-keys",
} as const

/** True for the chain of an instance's audit rows. */
export function isAuditChain(chain: string): boolean {
  return chain.startsWith("audits:")
}

/** True for the chain of a limit's sum. */
export function isSumChain(chain: string): boolean {
  return chain.startsWith("sum:")
}

/** True for the chain of a fingerprint. */
export function isFingerprintChain(chain: string): boolean {
  return chain.startsWith("fingerprint:")
}

/** True for the chain of a case. */
export function isCaseChain(chain: string): boolean {
  return chain.startsWith("case:")
}

/** The id of the case that a chain is about; null for another chain. */
export function caseOfChain(chain: string): string | null {
  return isCaseChain(chain) ? chain.slice(chainOf.case("").length) : null
}

/** True for the chain of an identity link. */
export function isLinkChain(chain: string): boolean {
  return chain.startsWith("link:")
}
