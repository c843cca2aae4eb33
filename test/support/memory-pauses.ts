// Paused runs that nobody is asked about, in memory.
import type { Clock, PauseMemory, Pauses } from "../../src/flow/ports.ts"

/** Makes the memory of one server. */
export function createMemoryPauses(clock: Clock): PauseMemory {
  const turns = new Map<string, number>()
  const known = new Map<string, Pauses>()
  return {
    takeTurn: async (instance, everyMs) => {
      if ((turns.get(instance) ?? 0) > clock()) return false
      turns.set(instance, clock() + everyMs)
      return true
    },
    read: async (instance) => known.get(instance) ?? null,
    save: async (instance, pauses) => void known.set(instance, structuredClone(pauses)),
  }
}
