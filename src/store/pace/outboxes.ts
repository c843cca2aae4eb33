// The outboxes of webhooks (port `Outboxes`): one sealed field a webhook, and one for each of its dead letters. They
// hold numbers and chains of entries, and why the last attempt failed in words of ours.
import { deadLetterSchema, outboxSchema } from "../../flow/ports/record/port-records.ts"
import type { Outboxes } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import { readSequence } from "../ledger/read-ledger.ts"
import { createScript } from "../redis/script.ts"
import { createSealedValues, type SealedPlace } from "../redis/sealed-record.ts"

/**
 * KEYS: 1 outboxes, 2 dead letters. ARGV: webhook, the outbox as it was read ("" for none), the next one, how many dead
 * letters are none any more, their numbers, then number and text of each new dead letter.
 */
const saveScript = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
local revived = tonumber(ARGV[4])
for at = 5, 4 + revived do redis.call('HDEL', KEYS[2], ARGV[at]) end
for at = 5 + revived, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1]) end
return 1
`

/** KEYS: 1 outboxes, 2 dead letters. ARGV: webhook. */
const forgetScript = `
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
`

/** Makes the outboxes of an installation. */
export function createOutboxes({ redis, keys, seal }: SealedPlace): Outboxes {
  const key = keys.webhooks
  const save = createScript(redis, saveScript)
  const forget = createScript(redis, forgetScript)
  const outboxes = createSealedValues(seal, "outbox", outboxSchema)
  const letters = createSealedValues(seal, "dead-letter", deadLetterSchema)
  const contextOf = (webhook: string) => `${key} ${webhook}`
  const letterContext = (webhook: string, number: number | string) => `${keys.deadLetters(webhook)} ${number}`
  return {
    names: async () => (await attempt("list outboxes", () => redis.hkeys(key))).toSorted(),
    read: async (webhook) => {
      const mark = await attempt("read an outbox", () => redis.hgetBuffer(key, webhook))
      return { mark, outbox: outboxes.open(contextOf(webhook), mark) }
    },
    save: async (webhook, { before, next, died = [], revived = [] }) => {
      const mark = before.mark === null ? "" : Buffer.from(before.mark)
      const sealed = outboxes.seal(contextOf(webhook), next)
      const dead = died.flatMap((one) => [one.number, letters.seal(letterContext(webhook, one.number), one)])
      const args = [webhook, mark, sealed, revived.length, ...revived, ...dead]
      const places = [key, keys.deadLetters(webhook)]
      return (await attempt("save an outbox", () => save(places, args))) === 1
    },
    forget: async (webhook) => {
      await attempt("forget an outbox", () => forget([key, keys.deadLetters(webhook)], [webhook]))
    },
    deadLetters: async (webhook) => {
      const fields = await attempt("read dead letters", () => redis.hgetallBuffer(keys.deadLetters(webhook)))
      return Object.entries(fields)
        .flatMap(([number, sealed]) => letters.open(letterContext(webhook, number), sealed) ?? [])
        .toSorted((one, other) => one.number - other.number)
    },
    countDead: (webhook) => attempt("count dead letters", () => redis.hlen(keys.deadLetters(webhook))),
    ledgerEnd: () => readSequence(redis, keys),
  }
}
