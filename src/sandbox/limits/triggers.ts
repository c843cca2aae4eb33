// Trigger ids: the short-lived permissions to open a modal for the person who just did something.

/** What becomes of a trigger id that an app sends. */
export type Redeemed =
  | { readonly ok: true; readonly personId: string }
  | { readonly ok: false; readonly error: "invalid_trigger_id" | "exchanged_trigger_id" | "expired_trigger_id" }

/** Hands out trigger ids and takes each back once. */
export interface Triggers {
  readonly issue: (personId: string) => string
  readonly redeem: (triggerId: string) => Redeemed
}

/** Where time and chance come from, and how long a trigger lives. */
export interface TriggerOptions {
  readonly clock: () => number
  readonly random: () => string
  /** Milliseconds. Slack gives 3,000 (https://docs.slack.dev/interactivity/handling-user-interaction). */
  readonly lifeMs: number
}

/** Makes triggers that live for `lifeMs` and can be used once. */
export function createTriggers({ clock, random, lifeMs }: TriggerOptions): Triggers {
  const issued = new Map<string, { personId: string; at: number; used: boolean }>()
  return {
    issue: (personId) => {
      const id = `${Math.floor(clock())}.${issued.size + 1}.${random()}`
      issued.set(id, { personId, at: clock(), used: false })
      return id
    },
    redeem: (triggerId) => {
      const trigger = issued.get(triggerId)
      if (!trigger) return { ok: false, error: "invalid_trigger_id" }
      if (trigger.used) return { ok: false, error: "exchanged_trigger_id" }
      if (clock() - trigger.at > lifeMs) return { ok: false, error: "expired_trigger_id" }
      trigger.used = true
      return { ok: true, personId: trigger.personId }
    },
  }
}
