// The head of a chain: where it ends, and what of its past still counts.
import type { Notice } from "../../domain/case/notice.ts"
import { isCaseChain } from "../redis/keys.ts"
import type { OpenEntry } from "./open-entry.ts"

/** Where a chain that may still count ends. */
export interface Head {
  /** How many entries it has, and the MAC of the last. */
  readonly count: number
  readonly mac: string
  /** In which era it was begun, or begun anew. */
  readonly era: number
  /** `frozen`: nothing counts on it any more. `vanished`: its approval was not found, and may come back. */
  readonly state: "open" | "frozen" | "vanished"
  /** The interactions that voted on it, by the first characters of their ids: none votes twice. */
  readonly voted: readonly string[]
}

/** So many characters of an interaction's id tell it from all others of its case: 72 bits. */
const idLength = 18

/** After these a case or a link is as if it had been made in this era. */
const renewals: ReadonlySet<string> = new Set(["opened", "renewed", "doubtful", "pinned", "linked", "unlinked"])

/** After these a case that was over is not over until its thread was told of them. */
const awakening: Readonly<Record<Notice["kind"], true>> = {
  "without-effect": true,
  "paused-again": true,
  "run-over": true,
  "ran-otherwise": true,
  "decided-outside-rules": true,
}

/** True if an entry is the next of its chain. Ends of cases that are over are not kept: they may reopen. */
export function follows(before: Head | null, { n, prev, chain }: OpenEntry): boolean {
  if (before !== null) return n === before.count + 1 && prev === before.mac
  return n === 1 ? prev === "" : isCaseChain(chain)
}

/** True if the interaction behind an entry voted on this case before. */
export function votesTwice(before: Head | null, { vote }: OpenEntry): boolean {
  return vote !== null && before?.voted.includes(vote.slice(0, idLength)) === true
}

/** Where the chain ends with an entry, made in an era; null where nothing of it counts any more. */
export function headAfter(before: Head | null, entry: OpenEntry, era: number): Head | null {
  const { chain, kind, n, mac, vote } = entry
  if (kind === "removed" || (kind === "closed" && before?.state !== "vanished")) return null
  // Nothing else that is said of a case that is over makes it count again.
  if (before === null && isCaseChain(chain) && kind !== "opened" && !(kind in awakening)) return null
  const voted = before?.voted ?? []
  return {
    count: n,
    mac,
    era: before === null || renewals.has(kind) ? era : before.era,
    state: stateAfter(before, kind),
    voted: vote === null ? voted : [...voted, vote.slice(0, idLength)],
  }
}

function stateAfter(before: Head | null, kind: string): Head["state"] {
  // An operator who links an address anew takes back nothing that people did.
  if (kind === "linked") return "open"
  if (before?.state === "frozen" || kind === "frozen") return "frozen"
  if (kind === "opened" || kind === "returned") return "open"
  return kind === "vanished" ? "vanished" : (before?.state ?? "open")
}

/** One part: its heads, and the name under which it lies in Redis; null while it does not. */
export interface HeadPart {
  readonly heads: Map<string, Head>
  name: string | null
}

/** All heads, by part. */
export interface HeadTable {
  get(chain: string): Head | null
  /** Null takes the chain out. */
  set(chain: string, head: Head | null): void
  chains(): Iterable<string>
  readonly parts: ReadonlyMap<string, HeadPart>
}

/** Makes a table of these parts. */
export function createHeadTable(start: Iterable<readonly [string, HeadPart]> = []): HeadTable {
  const parts = new Map(start)
  // All of them in one map too: polls ask for thousands at a time.
  const heads = new Map([...parts.values()].flatMap((part) => [...part.heads]))
  return {
    parts,
    get: (chain) => heads.get(chain) ?? null,
    set: (chain, head) => {
      const id = partOf(chain)
      const part = parts.get(id) ?? { heads: new Map<string, Head>(), name: null }
      for (const map of [heads, part.heads]) {
        if (head === null) map.delete(chain)
        else map.set(chain, head)
      }
      part.name = null
      if (part.heads.size === 0) parts.delete(id)
      else parts.set(id, part)
    },
    chains: () => heads.keys(),
  }
}

/** Case ids spread evenly over 4,096 parts: of 100,000 heads each holds some 25. Other chains are few. */
function partOf(chain: string): string {
  return isCaseChain(chain) ? chain.slice(5, 8) : ""
}
