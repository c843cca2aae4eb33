// Slack's people and groups in memory. The flow reads them through a cache, as from Slack.
import { type Person, personKey } from "../../src/domain/people/person.ts"
import type { Clock, Holder, People } from "../../src/flow/ports.ts"
import { team } from "./builders.ts"
import { chatFailure, type PortFailure } from "./port-failure.ts"

/** The people, and what a test may do to them. */
export interface MemoryPeople extends People {
  /** Adds people, or changes who they are. */
  set(...people: readonly Person[]): void
  group(id: string, ...users: readonly string[]): void
  /** From now on every look-up fails so, also of what was read before; null ends it. */
  fail(error: PortFailure | null): void
  /** From now on Slack does not tell whom addresses mean, however often it is asked, and why. */
  refuseEmails(why: string): void
}

/** Makes a workspace with these people. What was read is kept, and given out again while it is young enough. */
export function createMemoryPeople(clock: Clock, ...first: readonly Person[]): MemoryPeople {
  const people = new Map(first.map((one) => [personKey(one), one]))
  const groups = new Map<string, readonly string[]>()
  const cache = new Map<string, { readonly value: unknown; readonly readAt: number }>()
  let failure: PortFailure | null = null
  let refused: string | null = null
  const ever = new Map<string, { readonly value: unknown; readonly readAt: number }>()
  const readAtWorst = <T>(atWorstMs: number, key: string, maxAgeMs: number, now: () => T): T => {
    const [kept, old] = [cache.get(key), ever.get(key)]
    if (kept !== undefined && clock() - kept.readAt <= maxAgeMs) return kept.value as T
    if (failure !== null && atWorstMs > 0 && old !== undefined && clock() - old.readAt <= atWorstMs)
      return old.value as T
    if (failure !== null) throw failure
    const value = now()
    for (const map of [cache, ever]) map.set(key, { value, readAt: clock() })
    return value
  }
  const lookUpsAtWorst = (atWorstMs: number): People["spare"] => {
    const read = <T>(key: string, maxAgeMs: number, now: () => T) => readAtWorst(atWorstMs, key, maxAgeMs, now)
    const lookUps: People["spare"] = {
      home: { team, enterprise: null },
      look: async (id, maxAgeMs) =>
        read(personKey(id), maxAgeMs, () => {
          const found = people.get(personKey(id))
          if (found === undefined) throw chatFailure("user_not_found", { retryable: false })
          return { ...found, readAt: clock() }
        }),
      members: async (group, maxAgeMs) =>
        read(`group ${group}`, maxAgeMs, () => {
          const keys = groups.get(group)
          return keys === undefined ? { keys: [], trouble: "Slack knows no such group" } : { keys, trouble: null }
        }),
      holderOf: async (email, maxAgeMs) =>
        read(`email ${email}`, maxAgeMs, (): Holder => {
          if (refused !== null) return { person: null, trouble: refused }
          const found = [...people.values()].find((one) => one.email === email.trim().toLowerCase())
          return { person: found === undefined ? null : { team: found.team, user: found.user }, trouble: null }
        }),
      byEmail: async (email, maxAgeMs) => {
        const { person, trouble } = await lookUps.holderOf(email, maxAgeMs)
        if (trouble !== null) throw chatFailure(trouble, { retryable: false })
        return person
      },
      inChannel: async (_channel, id) => people.has(personKey(id)),
    }
    return lookUps
  }
  const lookUps = lookUpsAtWorst(0)
  return {
    ...lookUps,
    spare: lookUps,
    lately: lookUpsAtWorst(86_400_000),
    get patient() {
      return this
    },
    set: (...more) => {
      for (const one of more) people.set(personKey(one), one)
    },
    group: (id, ...users) =>
      void groups.set(
        id,
        users.map((user) => personKey({ team, user })),
      ),
    refuseEmails: (why) => {
      refused = why
      cache.clear()
    },
    fail: (error) => {
      failure = error
      cache.clear()
    },
  }
}
