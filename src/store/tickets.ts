// Tickets: sealed interactions in Redis, each with the moment from which any process may take it up (`DueTickets`).
import { z } from "zod"
import type { Ticket } from "../flow/ports/inbound.ts"
import {
  answerInteractionSchema,
  askAgainInteractionSchema,
  askInteractionSchema,
  reviewInteractionSchema,
  voteInteractionSchema,
  withdrawInteractionSchema,
} from "../flow/ports/record/port-records.ts"
import type { Clock, DueTicket, DueTickets } from "../flow/ports.ts"
import { attempt, StoreError } from "./errors.ts"
import { createScript } from "./redis/script.ts"
import { createSealedValues, type SealedPlace } from "./redis/sealed-record.ts"

/** What is sealed into a ticket, bound to its id. */
const sealedTicket = z.object({
  press: z.union([
    voteInteractionSchema,
    withdrawInteractionSchema,
    reviewInteractionSchema,
    askInteractionSchema,
    answerInteractionSchema,
    askAgainInteractionSchema,
  ]),
  takenAt: z.number(),
  era: z.number(),
})

/** KEYS: tickets (hash: id to sealed bytes), tickets-due (sorted set: id by epoch ms). ARGV[1]: a moment, or -1. */
const head = `
local now = tonumber(ARGV[1])
if now < 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/** ARGV: id, sealed, ms until it is due. The first write counts. */
const writeScript = `${head}
redis.call('HSETNX', KEYS[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[2], 'NX', now + ARGV[4], ARGV[2])
return 1
`

/** ARGV: id, ms until it is due. A ticket that is gone stays gone. */
const putOffScript = `${head}
redis.call('ZADD', KEYS[2], 'XX', now + ARGV[3], ARGV[2])
return 1
`

/** ARGV: id. */
const removeScript = `
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1
`

/**
 * ARGV: ms of a hold, how many to take at most, how many of the ids are held, the ids to hold on to, then those to
 * leave. Replies id, sealed, id, sealed, …. A ticket without a moment gets one; a moment without a ticket goes.
 */
const takeScript = `${head}
local till = now + ARGV[2]
local limit, first = tonumber(ARGV[3]), 5 + ARGV[4]
for i = 5, first - 1 do redis.call('ZADD', KEYS[2], 'XX', till, ARGV[i]) end
local others = {}
for i = first, #ARGV do others[ARGV[i]] = true end
if redis.call('HLEN', KEYS[1]) > redis.call('ZCARD', KEYS[2]) then
  for _, id in ipairs(redis.call('HKEYS', KEYS[1])) do redis.call('ZADD', KEYS[2], 'NX', till, id) end
end
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, limit + #ARGV - first + 1)) do
  local sealed = redis.call('HGET', KEYS[1], id)
  if sealed and not others[id] and #taken < 2 * limit then
    redis.call('ZADD', KEYS[2], till, id)
    taken[#taken + 1] = id
    taken[#taken + 1] = sealed
  elseif not sealed then
    redis.call('ZREM', KEYS[2], id)
  end
end
return taken
`

/** For this long, in ms, only the process that took an interaction may carry it out. */
const ticketDelayMs = 5_000
/** How long a ticket stays with a process that does not renew its hold, in ms. Then another process takes it up. */
const holdMs = 8_000

/** What the tickets need. */
export interface TicketsOptions extends SealedPlace {
  /** Epoch ms. */
  readonly clock: Clock
  /** The present era. */
  readonly era: () => number
  /** Epoch ms, one clock for all replicas. Default: that of Redis. */
  readonly sharedClock?: (() => number) | undefined
  /** How much time a process gets to carry out an interaction that it took, in ms. Default 5,000. */
  readonly delayMs?: number | undefined
  /** How long a ticket that was taken up stays with its process, in ms. Default 8,000. */
  readonly holdMs?: number | undefined
}

/**
 * Makes the tickets: one for an interaction, however often Slack delivers it (R11), encrypted (R15). Every call is one
 * round trip, and throws `StoreError` if Redis does not take it.
 */
export function createTickets(options: TicketsOptions): DueTickets {
  const { redis, keys, seal, clock, era, sharedClock = () => -1, delayMs = ticketDelayMs } = options
  const values = createSealedValues(seal, "ticket", sealedTicket)
  const names = [keys.tickets.sealed, keys.tickets.due]
  const run = (tried: string, lua: string) => {
    const script = createScript(redis, lua)
    return (...args: readonly (string | number | Buffer)[]) => attempt(tried, () => script(names, args))
  }
  const [write, putOff] = [run("write a ticket", writeScript), run("put off a ticket", putOffScript)]
  const [remove, take] = [run("remove a ticket", removeScript), run("take up tickets", takeScript)]
  return {
    write: async (interaction) => {
      const ticket: Ticket = { id: `press-${interaction.interaction}`, interaction, takenAt: clock(), era: era() }
      const sealed = values.seal(ticket.id, { press: interaction, takenAt: ticket.takenAt, era: ticket.era })
      await write(sharedClock(), ticket.id, sealed, delayMs)
      return ticket
    },
    remove: async (id) => void (await remove(id)),
    takeDue: async ({ held, limit, leave = [] }) => {
      const taken = await take(sharedClock(), options.holdMs ?? holdMs, limit, held.length, ...held, ...leave)
      return dueOf(taken, (id, sealed) => values.open(id, sealed))
    },
    putOff: async (id, ms) => void (await putOff(sharedClock(), id, Math.max(0, Math.ceil(ms)))),
  }
}

type Opened = z.infer<typeof sealedTicket> | null

function dueOf(taken: unknown, open: (id: string, sealed: Buffer) => Opened): readonly DueTicket[] {
  if (!Array.isArray(taken)) throw new StoreError("redis-refused", "take up tickets: Redis answered no list")
  const due: DueTicket[] = []
  for (let at = 0; at + 1 < taken.length; at += 2) {
    const id = String(taken[at])
    const opened = open(id, Buffer.from(taken[at + 1]))
    if (opened === null) due.push({ id, ticket: null })
    else due.push({ id, ticket: { id, interaction: opened.press, takenAt: opened.takenAt, era: opened.era } })
  }
  return due
}
