// Trigger ids: for a short time, each lets the app open a modal for the person who just did something.

/** What becomes of a trigger id that an app sends. */
export type Redeemed =
  | { readonly ok: true; readonly personId: string }
  | { readonly ok: false; readonly error: "invalid_trigger_id" | "exchanged_trigger_id" | "expired_trigger_id" }

/** Gives out trigger ids, and takes each back once. */
export type Triggers = ReturnType<typeof createTriggers>

/**
 * Makes triggers. Each lives for `lifeMs` and works once. Slack gives 3,000 ms
 * (https://docs.slack.dev/interactivity/handling-user-interaction).
 */
export function createTriggers(options: { clock: () => number; random: () => string; lifeMs: number }) {
  const { clock, random, lifeMs } = options
  const issued = new Map<string, { personId: string; at: number; used: boolean }>()
  return {
    issue: (personId: string): string => {
      const id = `${Math.floor(clock())}.${issued.size + 1}.${random()}`
      issued.set(id, { personId, at: clock(), used: false })
      return id
    },
    redeem: (triggerId: string): Redeemed => {
      const trigger = issued.get(triggerId)
      if (!trigger) return { ok: false, error: "invalid_trigger_id" }
      if (trigger.used) return { ok: false, error: "exchanged_trigger_id" }
      if (clock() - trigger.at > lifeMs) return { ok: false, error: "expired_trigger_id" }
      trigger.used = true
      return { ok: true, personId: trigger.personId }
    },
  }
}
