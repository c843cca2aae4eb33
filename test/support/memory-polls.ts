// Remembers in memory what replicas share about polls.
import type { PollFailure, Polls, Sighting } from "../../src/flow/ports.ts"

/** Makes the record of polls of one server. */
export function createMemoryPolls(): Polls {
  const successes = new Map<string, number>()
  const failures = new Map<string, PollFailure>()
  const sightings = new Map<string, Sighting>()
  const told = new Set<string>()
  return {
    read: async () => ({
      of: (instance) => ({
        polledAt: successes.get(instance) ?? null,
        failure: failures.get(instance) ?? null,
        sighting: sightings.get(instance) ?? null,
      }),
      told: new Set(told),
    }),
    succeeded: async (instance, at) => void successes.set(instance, at),
    failed: async (instance, failure) => void failures.set(instance, failure),
    saw: async (instance, sighting) => void sightings.set(instance, sighting),
    told: async (trouble) => void told.add(trouble),
    over: async (trouble) => void told.delete(trouble),
  }
}
