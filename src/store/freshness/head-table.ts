// The heads of all chains that count, packed as bytes: 100,000 objects would slow down each garbage collection.
import { isCaseChain } from "../redis/keys.ts"
import type { Head } from "./head.ts"

/** All heads, by part. */
export interface HeadTable {
  get(chain: string): Head | null
  /** Null removes the chain. */
  set(chain: string, head: Head | null): void
  chains(): Iterable<string>
  /** The chains that were begun, or begun anew, before an era. */
  begunBefore(era: number): Iterable<string>
  readonly parts: ReadonlyMap<string, HeadPart>
}

/** One part of the table. */
export interface HeadPart {
  /** Its chains and their heads, in no order. */
  rows(): Iterable<readonly [chain: string, head: Head]>
  /** The part's name in Redis; null while Redis does not have this part. */
  name: string | null
}

/** A part, as the table keeps it. */
interface PackedPart extends HeadPart {
  /** Row after row, see `headRow`. */
  bytes: Buffer
  /** Heads that do not fit into a row: of chains that are no cases, or with unusual values. */
  readonly odd: Map<string, Head>
}

/** Makes a table of parts, each with its name in Redis and its heads. */
export function createHeadTable(
  start: Iterable<readonly [id: string, name: string, heads: Iterable<readonly [string, Head]>]> = [],
): HeadTable {
  const parts = new Map<string, PackedPart>()
  const set = (chain: string, head: Head | null): void => {
    const id = partOf(chain)
    const part = parts.get(id) ?? emptyPart()
    put(part, chain, head)
    if (part.bytes.length === 0 && part.odd.size === 0) parts.delete(id)
    else parts.set(id, part)
  }
  for (const [id, name, heads] of start) {
    const part = emptyPart()
    for (const [chain, head] of heads) put(part, chain, head)
    part.name = name
    parts.set(id, part)
  }
  function* begunBefore(era: number): Iterable<string> {
    for (const { bytes, odd } of parts.values()) {
      for (const [chain, head] of odd) if (head.era < era) yield chain
      for (const at of placesIn(bytes)) if (bytes.readUInt32BE(at + eraAt) < era) yield chainAt(bytes, at)
    }
  }
  return {
    parts,
    set,
    begunBefore,
    chains: () => begunBefore(Number.POSITIVE_INFINITY),
    get: (chain) => {
      const part = parts.get(partOf(chain))
      if (part === undefined) return null
      const at = rowStart(part.bytes, chain)
      return at === null ? (part.odd.get(chain) ?? null) : headAt(part.bytes, at)
    },
  }
}

/** Names a chain's part. Case ids spread evenly over 4,096 parts: 25 each for 100,000 heads. Other chains are few. */
function partOf(chain: string): string {
  return isCaseChain(chain) ? chain.slice(idFrom, idFrom + 3) : ""
}

function emptyPart(): PackedPart {
  const odd = new Map<string, Head>()
  return {
    name: null,
    bytes: Buffer.alloc(0),
    odd,
    *rows() {
      yield* odd
      for (const at of placesIn(this.bytes)) yield [chainAt(this.bytes, at), headAt(this.bytes, at)]
    },
  }
}

function put(part: PackedPart, chain: string, head: Head | null): void {
  const row = head === null ? null : headRow(chain, head)
  const { bytes } = part
  const at = rowStart(bytes, chain)
  const rest = at === null ? [bytes] : [bytes.subarray(0, at), bytes.subarray(at + lengthAt(bytes, at))]
  part.odd.delete(chain)
  if (head !== null && row === null) part.odd.set(chain, head)
  if (at !== null || row !== null) part.bytes = joined(row === null ? rest : [...rest, row])
  part.name = null
}

/** Joins pieces in memory of its own: a buffer from a pool would keep all of the pool alive. */
function joined(pieces: readonly Buffer[]): Buffer {
  const whole = Buffer.alloc(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) at += piece.copy(whole, at)
  return whole
}

/** A row: case id, MAC, count, era, state, number of votes, then the ids of the interactions that voted. */
const idLength = 10
const macAt = idLength
const countAt = macAt + 32
const eraAt = countAt + 4
const stateAt = eraAt + 4
const votesAt = stateAt + 1
const rowLength = votesAt + 1
const voteLength = 9
const states = ["open", "frozen", "vanished"] as const

/** `case:` stands before the id. */
const idFrom = 5
const packable = /^case:[0-9a-f]{20}$/

/** The row of a head; null if the row would not give back the same head. */
function headRow(chain: string, head: Head): Buffer | null {
  const { count, mac, era, state, voted } = head
  if (!packable.test(chain) || voted.length > 255 || Math.max(count, era) > 0xffff_ffff) return null
  const row = Buffer.alloc(rowLength + voteLength * voted.length)
  row.write(chain.slice(idFrom), 0, "hex")
  row.write(mac, macAt, countAt - macAt, "base64url")
  row.writeUInt32BE(count, countAt)
  row.writeUInt32BE(era, eraAt)
  row[stateAt] = states.indexOf(state)
  row[votesAt] = voted.length
  for (const [index, vote] of voted.entries()) row.write(vote, rowLength + voteLength * index, voteLength, "hex")
  const same = JSON.stringify(headAt(row, 0)) === JSON.stringify({ count, mac, era, state, voted })
  return same ? row : null
}

function headAt(bytes: Buffer, at: number): Head {
  const votes = Array.from({ length: bytes[at + votesAt] ?? 0 }, (_, index) => at + rowLength + voteLength * index)
  return {
    count: bytes.readUInt32BE(at + countAt),
    mac: bytes.toString("base64url", at + macAt, at + countAt),
    era: bytes.readUInt32BE(at + eraAt),
    state: states[bytes[at + stateAt] ?? 0] ?? "open",
    voted: votes.map((from) => bytes.toString("hex", from, from + voteLength)),
  }
}

function chainAt(bytes: Buffer, at: number): string {
  return `case:${bytes.toString("hex", at, at + idLength)}`
}

function lengthAt(bytes: Buffer, at: number): number {
  return rowLength + voteLength * (bytes[at + votesAt] ?? 0)
}

function* placesIn(bytes: Buffer): Iterable<number> {
  for (let at = 0; at < bytes.length; at += lengthAt(bytes, at)) yield at
}

/** Where a chain's row begins; null if it has none. Compares the end of the id first: polls look up thousands. */
function rowStart(bytes: Buffer, chain: string): number | null {
  const end = Number.parseInt(chain.slice(-8), 16)
  for (let at = 0; at < bytes.length; at += lengthAt(bytes, at))
    if (bytes.readUInt32BE(at + idLength - 4) === end && chainAt(bytes, at) === chain) return at
  return null
}
