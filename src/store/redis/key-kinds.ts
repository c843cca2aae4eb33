// Every kind of key in Redis, and why an old, missing or copied value of it grants nothing (R14).
import type { Keys } from "./keys.ts"

/** One kind of key. `bound`: what shows that a value is old. `harmless`: why an old value does no harm. */
export type KeyKind = { readonly bound: string } | { readonly harmless: string }

/** The names of keys of a kind (the part after the installation's tag), and the reason. */
type Row = readonly [pattern: RegExp, why: string]

const bound: readonly Row[] = [
  [/^:installation$/, "its chain is known in each process; an era begins only on its newest record"],
  [/^:config$/, "its chain is known in each process: an older config is refused"],
  [/^:case:/, "its chain is known while its approval may be pending: an older or missing record freezes"],
  [/^:link:/, "its chain is known in each process: an older or missing link counts for nobody"],
  [/^:audits:/, "its chain is known in each process; on an older record a row is told once more, and grants nothing"],
  [
    /^:sum:/,
    "its chain is known in each process: an older or missing sum is not believed, and its limit asks more people",
  ],
  [
    /^:fingerprint:/,
    "its chain is known in each process; it only says what is new: an older one is told, and not used",
  ],
  [/^:signing-keys$/, "its chain is known in each process; receipts name their key, checkpoints carry a MAC besides"],
  [/^:ledger$/, "each process knows where it ended, checkpoints and marks outside Redis do too"],
  [/^:sequence$/, "a commit refuses unless it is the number of the ledger's last entry"],
  [/^:(?:heads|head-lists)$/, "named by their hash in a checkpoint; without them the whole ledger is read"],
]

const harmless: readonly Row[] = [
  [/^:chain:/, "tells readers where a chain's entries stand; a commit compares it, its heads are known elsewhere"],
  [/^:receipt:/, "is signed and shown only if it is verified; its hash is in the ledger"],
  [/^:ended$/, "is sealed, and only lets gates refuse more; they ask the platform's row about a missing one, too"],
  [/^:erasable:/, "is shown only if it has the hash that its entry names; one erased and put back is found by verify"],
  [/^:known:/, "saves reading cases: what it says of an approval is believed only where a chain says the same"],
  [/^:open:/, "was kept before data of version 5: nobody reads it"],
  [
    /^:proposals$/,
    "is sealed under the proposal's id, which the config's record names; how one was resolved has a MAC of its own",
  ],
  [/^:(?:cases|list|settled)$/, "orders what is listed; each case is read and judged by itself"],
  [/^:unfinished$/, "says where work may be left; each case is read and says itself what"],
  [/^:fingerprints$/, "says which fingerprint holds something old; each is read and says itself what"],
  [/^:deadlines$/, "says when to look; the case says what is due, and a vote is judged by the case's own time"],
  [/^:beginnings$/, "finds a case by what somebody typed; each is read, judged and compared by itself"],
  [/^:calls:/, "finds cases about one call; each is read and compared"],
  [/^:sent-back:/, "finds cases that were sent back in a session; each is read, and says what it proposes"],
  [/^:interaction:/, "saves a commit: the case itself keeps the interactions that counted (R11)"],
  [/^:continued:/, "keeps two replicas apart; a case continues once by its own record, if the run waits"],
  [
    /^:view:/,
    "is sealed and names person, case, revision, digest; an older one names an older revision, which is void",
  ],
  [/^:tickets$/, "each is sealed under its id, late after two minutes, of one era, and counts once (R11)"],
  [/^:tickets-due$/, "says when to take up a ticket; one without a moment gets one"],
  [/^:looked$/, "says whose card is looked at next; what is seen is judged on the case"],
  [/^:answer:/, "is sealed with its moment: who reads one takes none that is older than it allows (R5)"],
  [/^:homes(?:-shown|-changed)?$/, "says whose Home to draw; what it shows is judged for its person each time"],
  [/^:pace(?:-taken|-line|-due)?:/, "says when Slack may be called, and when somebody may be asked once more"],
  [/^:admitted:/, "says how many cases have cards; more or fewer cards grant nothing"],
  [/^:waiting:/, "says which case is next; the case says whether it waits"],
  [
    /^:polls$/,
    "says what operators are told of an instance, which is asked; what its list named has its moment, for seconds",
  ],
  [/^:pauses(?:-turn)?:/, "says of which runs operators were told; whether one waits is asked at the platform"],
  [/^:troubles$/, "saves repeating an alarm"],
  [/^:told$/, "says which messages about orders were sent; an old one makes a message more or less"],
  [/^:uncarded:/, "says whom a summary names; each case is read"],
  [/^:summar(?:y:.*|ies)$/, "says where a summary hangs; votes from its review are judged on the case"],
  [
    /^:replicas$/,
    "sealed; each process remembers whom it heard of in the last minute, and asks for whoever is missing all the same",
  ],
  [/^:sockets$/, "says what an operator is told about the Slack app"],
  [/^:probe$/, "is written to see whether Redis takes it; a write that is refused fails, whatever the key holds"],
  [/^:vouching$/, "is sealed over a fresh nonce: an older answer answers nothing"],
  [/^:webhooks$/, "is sealed; an older one sends entries again, and nobody decides by what is sent"],
  [/^:dead-letters:/, "is sealed; says which entries an operator may send again, and each is read anew"],
  [/^:queue:/, "says which case to look at"],
]

/** The kind of a key of this installation; null if it belongs to none. */
export function kindOf(keys: Pick<Keys, "tag">, key: string): KeyKind | null {
  if (!key.startsWith(keys.tag)) return null
  const why = (rows: readonly Row[]) => rows.find(([pattern]) => pattern.test(key.slice(keys.tag.length)))?.[1]
  const [shown, reason] = [why(bound), why(harmless)]
  if (shown !== undefined) return { bound: shown }
  return reason === undefined ? null : { harmless: reason }
}
