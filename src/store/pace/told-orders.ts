// Which messages about orders were sent (port `ToldOrders`): one field a message, and one sealed field for each absence
// of which people were told. Stale or forged, it makes a message more or less.
import { z } from "zod"
import type { TellingTurn, ToldOrders } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { createScript } from "../redis/script.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

/** If a process got the turn to send a message this long ago and says nothing, it died: another one sends it. */
export const tellingMs = 30_000

/**
 * KEYS: 1 what was told. ARGV: message, now, until when whoever asks has the turn. A field says `told`, or until when
 * somebody has the turn. A field that says anything else counts as nobody's turn.
 */
const claimScript = `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known == 'told' then return 'told' end
if known and (tonumber(known) or 0) > tonumber(ARGV[2]) then return 'busy' end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'yours'
`

/** The names of fields that note an absence begin so. */
const notePrefix = "absence "

const notedSchema = z.object({ id: z.string(), person: z.string(), standIn: z.string() })

/** Makes the note of what was told. Every call throws `StoreError` if Redis does not answer. */
export function createToldOrders({ redis, keys, seal }: SealedPlace): ToldOrders {
  const key = keys.told
  const claim = createScript(redis, claimScript)
  const absences = createSealedValues(seal, "told-absence", notedSchema)
  const contextOf = (field: string) => `${key} ${field}`
  return {
    claim: async (message, at) => {
      const reply = await attempt("ask who tells an order", () => claim([key], [message, at, at + tellingMs]))
      return turnOf(String(reply))
    },
    done: async (message) =>
      void (await attempt("note a message about an order", () => redis.hset(key, message, "told"))),
    note: async ({ id, person, standIn }) => {
      const field = notePrefix + id
      const sealed = absences.seal(contextOf(field), { id, person, standIn })
      await attempt("note an absence", () => redis.hset(key, field, sealed))
    },
    noted: async () => {
      const fields = await attempt("read noted absences", () => redis.hgetallBuffer(key))
      return Object.entries(fields).flatMap(([field, sealed]) => {
        const one = field.startsWith(notePrefix) ? absences.open(contextOf(field), sealed) : null
        return one === null ? [] : [one]
      })
    },
    forget: async (absence, messages) => {
      await attempt("forget an absence", () => redis.hdel(key, notePrefix + absence, ...messages))
    },
  }
}

/** Whoever gets a reply that is none of these sends nothing now, and asks again later. */
function turnOf(reply: string): TellingTurn {
  switch (reply) {
    case "told":
      return "told"
    case "yours":
      return "yours"
    default:
      return "busy"
  }
}
