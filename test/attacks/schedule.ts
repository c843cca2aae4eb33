// What happens in one seed of the random attacker: honest acts of people and operators, and what the attacker does in
// between.

/** People by the names of the sandbox; Mallory gets the address that Rita had. */
export type Name = "alice" | "bob" | "rita" | "mallory"

/** Kinds of strokes against anything; `strokes.ts` says what each does. */
export const commonKinds = [
  "put back a key",
  "delete a key",
  "swap two keys",
  "copy a key",
  "reorder a list",
  "put back a case",
  "put back a field",
  "put back the records",
  "roll all back",
  "delete a case",
  "put back the config",
  "delete the links",
  "put back the links",
  "thaw cases",
  "cut the end",
  "queue a ticket again",
  "queue a job again",
  "post an ended verdict",
  "put back the sums",
  "delete the sums",
  "put back the fingerprints",
  "delete the fingerprints",
] as const

/** Kinds of strokes against orders. They stand apart, so that all else stays as it is drawn. */
export const orderKinds = ["delete the config", "replay the config's entries", "forge the orders"] as const

/** Kinds of strokes against what people said of earlier calls. They stand apart for the same reason. */
export const talkKinds = [
  "delete the indexes",
  "point the indexes elsewhere",
  "put back a memory",
  "copy a case",
] as const

/** All kinds of strokes. */
export const strokeKinds = [...commonKinds, ...orderKinds, ...talkKinds] as const
export type StrokeKind = (typeof strokeKinds)[number]

/** One stroke. What there is to pick from is only known when it strikes, so its picks are numbers. */
export interface Stroke {
  readonly kind: StrokeKind
  readonly dice: readonly [number, number, number]
}

/** What an agent asks for in one call of the tool that it has where people answer it. */
export interface TalkedCall {
  readonly version: number
  readonly amount: number
}

export type Act =
  | { readonly kind: "ask" }
  /**
   * A run begins, asked for by somebody (null: nobody knows by whom), and asks for these calls: each once the one
   * before is decided.
   */
  | { readonly kind: "run"; readonly by: Name | null; readonly name: string; readonly calls: readonly TalkedCall[] }
  /** Somebody sends the newest call back, and says what the agent should ask for instead. */
  | { readonly kind: "send back"; readonly person: Name; readonly instead: Partial<TalkedCall> }
  /** Somebody rejects the newest call: this one, or the same call for a while, too. */
  | { readonly kind: "reject"; readonly person: Name; readonly lasting: boolean }
  /** Somebody presses Ask Me Again on the last card that offers that. */
  | { readonly kind: "ask again"; readonly person: Name }
  /** Somebody asks whoever asked for the newest call. */
  | { readonly kind: "question"; readonly person: Name }
  /** Somebody answers the last question. */
  | { readonly kind: "answer"; readonly person: Name }
  | { readonly kind: "press"; readonly person: Name; readonly verb: "approve" | "reject"; readonly approval: number }
  | { readonly kind: "withdraw"; readonly person: Name; readonly approval: number }
  /** Other content at the platform. */
  | { readonly kind: "change"; readonly approval: number }
  /** The platform refuses the next verdict for good. */
  | { readonly kind: "refuse" }
  /** The address goes from Rita to Mallory in Slack. */
  | { readonly kind: "move" }
  /** An operator links the address to whoever has it. */
  | { readonly kind: "link" | "unlink" }
  /** The next config becomes active, by a start of so many replicas. */
  | { readonly kind: "activate"; readonly all: boolean }
  /**
   * An operator stops the calls of one approval, or everything: now, or just when a replica reads the record of one to
   * judge a press.
   */
  | { readonly kind: "stop"; readonly approval: number | null; readonly when: "now" | "read" }
  /** An operator ends all stops. */
  | { readonly kind: "end" }
  /** An operator notes that somebody is away: Rita may vote for them, for so long. */
  | { readonly kind: "away"; readonly person: Name; readonly ms: number }
  /** Whoever is away is back: now, or just when a replica reads the record of an approval to judge a press. */
  | { readonly kind: "back"; readonly when: "now" | "read" }
  /** Somebody breaks the glass of an approval, in Details. */
  | { readonly kind: "break"; readonly person: Name; readonly approval: number }
  /** Somebody says of the broken glass that it was right. */
  | { readonly kind: "review"; readonly person: Name }
  /** The next config is proposed, by a start of the first replica. */
  | { readonly kind: "propose" }
  /** Somebody votes on what is proposed, or was on their screen. */
  | { readonly kind: "rule"; readonly person: Name; readonly verb: "approve" | "reject" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "attack"; readonly strokes: readonly Stroke[] }
  /** The attacker strikes just before the next run is continued. */
  | { readonly kind: "ambush"; readonly strokes: readonly Stroke[] }
  /** All replicas end, the attacker strikes, and they start again. */
  | { readonly kind: "down"; readonly strokes: readonly Stroke[] }

/**
 * What is kept over a stop of all replicas: nothing ever stops; the data folders with checkpoints and marks; or nothing
 * but Redis.
 */
export const setUps = ["processes up", "restart with a checkpoint", "restart without"] as const
export type SetUp = (typeof setUps)[number]

export interface Schedule {
  readonly seed: number
  readonly setUp: SetUp
  readonly replicas: 1 | 2
  /** Whether the replicas have one data folder. */
  readonly shared: boolean
  readonly quorum: 1 | 2
  /** Whether agents ask, whose runs the bot continues. */
  readonly runs: boolean
  /** Whether so few approvals may be made by one person within the hour; 0: any number. */
  readonly alone: number
  /** After so many ms nobody may vote any more; null: never. */
  readonly livesMs: number | null
  /** Whether people stand in for others, break the glass, and approve other rules: the config has all of it then. */
  readonly overseen: boolean
  /**
   * Whether agents hear what people say of their calls, and go on: whoever asked or proposed may not approve then, and
   * a rejection may last for a minute.
   */
  readonly talks: boolean
  readonly acts: readonly Act[]
}
