// The heads of all chains that may still count, in parts, so that a checkpoint writes only the parts that changed since the one before.
import { isCaseChain } from "../redis/keys.ts"
import type { Head } from "./head.ts"

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

/** Case ids are spread evenly: 4,096 parts of them, so that one of 100,000 heads holds some 25. All other chains are few. */
function partOf(chain: string): string {
  return isCaseChain(chain) ? chain.slice(5, 8) : ""
}
