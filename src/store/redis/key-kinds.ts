// Every kind of key in Redis, and what an old, missing or copied value of it could do: why that grants nothing (R14).
import type { Keys } from "./keys.ts"

/**
 * One kind. `bound`: its chain, this process or the checkpoints show that a value is old; else why it is `harmless`.
 */
export type KeyKind = { readonly name: string } & ({ readonly bound: string } | { readonly harmless: string })

/** What keys of a kind are called: the rest of the name after the installation's tag. */
type Row = readonly [pattern: RegExp, kind: KeyKind]

function bound(name: string, why: string): KeyKind {
  return { name, bound: why }
}

function harmless(name: string, why: string): KeyKind {
  return { name, harmless: why }
}

const rows: readonly Row[] = [
  [
    /^:installation$/,
    bound("installation", "its chain is known in each process; an era begins only on its newest record"),
  ],
  [/^:config$/, bound("config", "its chain is known in each process: an older config is refused")],
  [
    /^:case:/,
    bound(
      "case",
      "its chain is known in each process while its approval may be pending: an older or missing record freezes",
    ),
  ],
  [/^:pin:/, bound("pin", "its chain is known in each process: an older or missing link counts for nobody")],
  [
    /^:audits:/,
    bound(
      "audit rows",
      "its chain is known in each process; on an older record a row is told once more, and grants nothing",
    ),
  ],
  [
    /^:signing-keys$/,
    bound(
      "signing keys",
      "its chain is known in each process; receipts name their key, and checkpoints carry a MAC besides",
    ),
  ],
  [/^:ledger$/, bound("ledger", "each process knows where it ended, checkpoints and marks outside Redis do too")],
  [/^:sequence$/, bound("sequence", "a commit refuses unless it is the number of the ledger's last entry")],
  [/^:heads$/, bound("heads", "named by their hash in a checkpoint; without them the whole ledger is read")],
  [
    /^:head-lists$/,
    bound("lists of heads", "named by their hash in a checkpoint; without them the whole ledger is read"),
  ],
  [
    /^:chain:/,
    harmless(
      "chain list",
      "says where a chain's entries stand, for readers; a commit compares it, and its heads are known elsewhere",
    ),
  ],
  [/^:receipt:/, harmless("receipt", "is signed and shown only if it is verified; its hash is in the ledger")],
  [
    /^:side:/,
    harmless(
      "erasable record",
      "is shown only if it has the hash that its entry names; one that was erased and put back is found by verify",
    ),
  ],
  [
    /^:known:/,
    harmless(
      "known approvals",
      "saves reading cases: what it says of an approval is believed only where a chain says the same",
    ),
  ],
  [
    /^:open:/,
    harmless(
      "open approvals",
      "saves work: who is missing in it is compared when the poll lists it; who is there too much is compared once more",
    ),
  ],
  [
    /^:(?:cases|list|settled)$/,
    harmless("lists of cases", "orders what is listed; each case is read and judged by itself"),
  ],
  [
    /^:unfinished$/,
    harmless("unfinished cases", "says where work may be left; each case is read and says itself what"),
  ],
  [
    /^:deadlines$/,
    harmless("deadlines", "says when to look; the case says what is due, and a vote is judged by the case's own time"),
  ],
  [
    /^:beginnings$/,
    harmless("beginnings of ids", "finds a case by what somebody typed; each is read, judged and compared by itself"),
  ],
  [/^:calls:/, harmless("calls", "finds cases about one call; each is read and compared")],
  [
    /^:interaction:/,
    harmless("consumed press", "saves a commit: the case itself keeps the presses that counted (R11)"),
  ],
  [
    /^:continued:/,
    harmless(
      "who continues a run",
      "keeps two replicas apart; a case continues once by its own record, and the run is asked whether it waits",
    ),
  ],
  [
    /^:view:/,
    harmless(
      "opened view",
      "is sealed and names person, case, revision and digest; an older one names an older revision, which counts for nothing",
    ),
  ],
  [/^:looked$/, harmless("last look", "says whose card is looked at next; what is seen is judged on the case")],
  [
    /^:answer:/,
    harmless(
      "answer of Slack",
      "is sealed with its moment: who reads one takes none that is older than it allows (R5)",
    ),
  ],
  [
    /^:homes(?:-shown|-changed)?$/,
    harmless("opened Homes", "says whose Home to draw; what it shows is judged for its person each time"),
  ],
  [/^:pace(?:-taken|-line|-due)?:/, harmless("pace", "says when Slack may be called")],
  [/^:roomed:/, harmless("cases with room", "says how many have cards; more or fewer cards grant nothing")],
  [/^:waiting:/, harmless("cases that wait for room", "says who is next; the case says whether it waits")],
  [
    /^:polls$/,
    harmless(
      "how polls go",
      "says what operators are told of an instance; what it holds is asked there. What its list named is sealed with its moment, and believed for seconds",
    ),
  ],
  [
    /^:pauses(?:-turn)?:/,
    harmless("paused runs", "says of which runs operators were told; whether one waits is asked at the platform"),
  ],
  [/^:troubles$/, harmless("told troubles", "saves repeating an alarm")],
  [/^:uncarded:/, harmless("cases without a card", "says whom a summary names; each case is read")],
  [
    /^:summar(?:y:.*|ies)$/,
    harmless("summaries", "says where a summary hangs; votes from its review are judged on the case"),
  ],
  [
    /^:replicas$/,
    harmless(
      "running replicas",
      "sealed; each process remembers by itself whom it heard of in the last minute, and whoever is missing is asked for all the same",
    ),
  ],
  [/^:sockets$/, harmless("open sockets", "says what an operator is told about the Slack app")],
  [/^:vouching$/, harmless("questions and answers", "sealed over a fresh nonce: an older answer answers nothing")],
  [
    /^:queue:/,
    harmless(
      "jobs",
      "say which case to look at; a press among them is sealed, late after two minutes, of one era, and counts once by its case",
    ),
  ],
]

/** The kind of a key of this installation; null for one that nobody thought of. */
export function kindOf(keys: Pick<Keys, "tag">, key: string): KeyKind | null {
  if (!key.startsWith(keys.tag)) return null
  const rest = key.slice(keys.tag.length)
  return rows.find(([pattern]) => pattern.test(rest))?.[1] ?? null
}
