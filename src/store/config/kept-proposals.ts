// What proposals of another config say, and how they were resolved. It lies beside the config's record, sealed under
// the id of its proposal; the record says which proposals there are, and how they stand.
import { z } from "zod"
import type { Erased } from "../../domain/case/erasure.ts"
import { isJsonObject, type JsonObject } from "../../domain/content/json.ts"
import { foldName } from "../../domain/people/person.ts"
import { type SharedConfig, sealedOf } from "../../domain/policy/shared-config.ts"
import { attempt, StoreError } from "../errors.ts"
import type { IndexWrite } from "../ledger/commit.ts"
import type { Keys } from "../redis/keys.ts"
import { pack } from "../redis/pack.ts"
import { openText, type SealedPlace } from "../redis/sealed-record.ts"
import { type RulesSchema, readSharedConfig, type SharedConfigRead } from "./shared-config-schema.ts"

/** What a proposal says: what people are shown, and the config itself. */
export interface ProposalContent {
  readonly shown: JsonObject
  readonly shared: SharedConfig
}

/** A proposal's content as we read it. */
export interface KeptProposal {
  readonly shown: JsonObject
  readonly config: SharedConfigRead
  /** How the resolve named who decided, and what it brought along; null if there was none, or if it is erased. */
  readonly resolution: ProposalResolution | null
}

/** Who decided, in the words of the resolve, and its data. */
export interface ProposalResolution {
  readonly resolvedBy: string | null
  readonly data: JsonObject | null
}

const purpose = "proposal"
const resolutionField = (id: string) => `${id} end`

const storedContent = z.object({ shown: z.unknown(), shared: z.unknown() })
const storedEnd = z.object({ resolvedBy: z.string().nullable(), data: z.unknown() })

/** The write that keeps a proposal's content. */
export function contentWrite(
  { keys, seal }: Pick<SealedPlace, "keys" | "seal">,
  id: string,
  { shown, shared }: ProposalContent,
): IndexWrite {
  const json = JSON.stringify({ shown, shared: sealedOf(shared) })
  return { command: "HSET", key: keys.proposals, args: [id, seal.encrypt(purpose, pack(json), id)] }
}

/** The write that keeps how a proposal was resolved. */
export function resolutionWrite(
  { keys, seal }: Pick<SealedPlace, "keys" | "seal">,
  id: string,
  resolution: ProposalResolution,
): IndexWrite {
  const field = resolutionField(id)
  return {
    command: "HSET",
    key: keys.proposals,
    args: [field, seal.encrypt(purpose, pack(JSON.stringify(resolution)), field)],
  }
}

/** The write that forgets proposals; none if there are none. */
export function forgetWrites(keys: Keys, ids: readonly string[]): readonly IndexWrite[] {
  if (ids.length === 0) return []
  return [{ command: "HDEL", key: keys.proposals, args: ids.flatMap((id) => [id, resolutionField(id)]) }]
}

/** Reads what is kept of a proposal. Throws `StoreError` (`tampered`) if it is gone, or not ours. */
export async function readKept(
  place: SealedPlace & { readonly rulesSchema: RulesSchema },
  { id, to }: { readonly id: string; readonly to: string },
): Promise<KeptProposal> {
  const { redis, keys, seal, rulesSchema } = place
  const [content = null, end = null] = await attempt("read a proposal", () =>
    redis.hmgetBuffer(keys.proposals, id, resolutionField(id)),
  )
  const open = (context: string, sealed: Buffer) => openText(seal, { purpose, context, sealed })
  const read = content === null ? null : storedContent.safeParse(open(id, content)).data
  if (!read || !isJsonObject(read.shown))
    throw new StoreError("tampered", `proposal ${id} in Redis was not written by this installation, or is gone`)
  const ended = end === null ? null : storedEnd.safeParse(open(resolutionField(id), end)).data
  const resolution = ended ? { resolvedBy: ended.resolvedBy, data: isJsonObject(ended.data) ? ended.data : null } : null
  return {
    shown: read.shown,
    config: readSharedConfig(read.shared, { revision: to, rules: rulesSchema }),
    resolution,
  }
}

/** Removes how proposals were resolved where that names somebody. Leaves what `isKept` says, by a proposal's id. */
export async function eraseResolutions(
  { redis, keys, seal }: SealedPlace,
  { person, names }: Erased,
  isKept: (proposal: string) => boolean,
): Promise<void> {
  const kept = await attempt("read the proposals", () => redis.hgetallBuffer(keys.proposals))
  const named = Object.entries(kept).flatMap(([field, sealed]) => {
    const end = resolutionField("")
    if (!field.endsWith(end) || isKept(field.slice(0, -end.length))) return []
    const text = JSON.stringify(openText(seal, { purpose, context: field, sealed }))
    const folded = foldName(text)
    return text.includes(person) || [...names].some((name) => folded.includes(name)) ? [field] : []
  })
  if (named.length > 0) await attempt("erase a proposal's end", () => redis.hdel(keys.proposals, ...named))
}
