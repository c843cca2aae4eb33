// Vouching: replicas ask each other where the ledger ends and what they miss. The messages go through Redis, sealed.
import { z } from "zod"
import { attempt } from "../errors.ts"
import { openText, type SealedPlace } from "../redis/sealed-record.ts"

/** How long a replica counts as running after its last sign, in ms. */
const heardMs = 60_000
/** How long an answer may take, in ms; then a silent replica counts as dead. A running replica looks each second. */
const patienceMs = 5_000
const shortPatienceMs = 1_500
/** How often we look for answers, in ms. */
const lookMs = 50
/** How long questions and answers are kept, in seconds. */
const keptS = 60

const presence = z.object({ at: z.number(), left: z.boolean() })
const question = z.object({ by: z.string() })
const answerSchema = z.object({
  by: z.string(),
  number: z.number(),
  mac: z.string(),
  missing: z.array(z.string()),
  config: z.array(z.string()).default([]),
  rolledBack: z.boolean(),
  era: z.number(),
  vouches: z.boolean(),
})

/**
 * What a replica says of the ledger: its end, the chains of which Redis lost something, where the config's chain ended
 * if it is one of these, and the highest era. `vouches` is false while it starts and nothing confirms what it knows.
 */
export type VouchAnswer = Readonly<z.infer<typeof answerSchema>>

/** The answers to a question, and who gave none. */
export interface VouchQuestion {
  readonly answers: readonly VouchAnswer[]
  /** Replicas that gave a sign in the last minute but no answer. */
  readonly silent: readonly string[]
}

/** One replica's part in vouching. Throws `StoreError` if Redis does not answer. */
export interface Vouching {
  /** Says that this replica runs, notes which others run, and returns the questions that it has not answered. */
  beat(): Promise<readonly string[]>
  /** Answers questions. */
  answer(nonces: readonly string[], answer: Omit<VouchAnswer, "by">): Promise<void>
  /**
   * Asks the others and waits for all answers, at most `patienceMs`; meanwhile answers their questions with `own`.
   * `any`: one answer that vouches is enough. `perhaps`: the same, but it waits at most `shortPatienceMs`.
   */
  ask(own: Omit<VouchAnswer, "by">, from?: "all" | "any" | "perhaps"): Promise<VouchQuestion>
  /** The other replicas that were heard of in the last minute. */
  running(): readonly string[]
  /** Says that this replica ends, so nobody waits for it any more. */
  leave(): Promise<void>
}

/** What vouching needs. `clock`: epoch ms; `now`: ms on this process' own clock. */
export interface VouchingOptions extends SealedPlace {
  /** The id of this replica, new with each start. */
  readonly replica: string
  readonly clock: () => number
  readonly now: () => number
  /** True for a command: it asks, and vouches for nobody. */
  readonly visitor: boolean
}

/** Makes this replica's part in vouching. */
export function createVouching(options: VouchingOptions): Vouching {
  const { redis, keys, seal, replica, clock, now, visitor } = options
  const heard = new Map<string, number>()
  const answered = new Set<string>()
  const sealed = (context: string, value: object) => seal.encrypt("vouching", JSON.stringify(value), context)
  const opened = (context: string, bytes: Buffer) => openText(seal, { purpose: "vouching", context, sealed: bytes })
  const say = (left: boolean) => redis.hset(keys.replicas, replica, sealed(replica, { at: clock(), left }))

  const hear = (all: Readonly<Record<string, Buffer>>): void => {
    for (const [id, bytes] of Object.entries(all)) {
      const read = presence.safeParse(opened(id, bytes))
      if (id === replica || !read.success) continue
      const { at, left } = read.data
      if (left) heard.delete(id)
      else if (clock() - at < heardMs) heard.set(id, Math.max(heard.get(id) ?? 0, at))
    }
    for (const [id, at] of heard) if (clock() - at >= heardMs) heard.delete(id)
  }
  const questionsIn = (all: Readonly<Record<string, Buffer>>): readonly string[] =>
    Object.entries(all).flatMap(([name, bytes]) => {
      const nonce = /^ask:(.+)$/.exec(name)?.[1]
      if (nonce === undefined || answered.has(nonce)) return []
      const read = question.safeParse(opened(name, bytes))
      return read.success && read.data.by !== replica ? [nonce] : []
    })
  const answersIn = (all: Readonly<Record<string, Buffer>>, nonce: string): readonly VouchAnswer[] =>
    Object.entries(all).flatMap(([name, bytes]) => {
      if (!name.startsWith(`answer:${nonce}:`)) return []
      const read = answerSchema.safeParse(opened(name, bytes))
      return read.success && read.data.by !== replica ? [read.data] : []
    })
  const answer: Vouching["answer"] = async (nonces, said) => {
    for (const nonce of nonces) {
      const name = `answer:${nonce}:${replica}`
      await attempt("vouch for the ledger", () =>
        redis.hset(keys.vouching, name, sealed(name, { ...said, by: replica })),
      )
      answered.add(nonce)
    }
  }
  return {
    answer,
    running: () => [...heard.keys()],
    beat: async () => {
      const [, all, asked] = await attempt("say that this replica runs", () =>
        Promise.all([say(false), redis.hgetallBuffer(keys.replicas), redis.hgetallBuffer(keys.vouching)]),
      )
      hear(all)
      return questionsIn(asked)
    },
    ask: async (own, from = "all") => {
      const nonce = seal.salt()
      const name = `ask:${nonce}`
      await attempt("ask the other replicas", () =>
        redis
          .multi()
          .hset(keys.vouching, name, sealed(name, { by: replica }))
          .expire(keys.vouching, keptS)
          .exec(),
      )
      hear(await attempt("hear of the replicas", () => redis.hgetallBuffer(keys.replicas)))
      const until = now() + (from === "perhaps" ? shortPatienceMs : patienceMs)
      for (;;) {
        const all = await attempt("hear the other replicas", () => redis.hgetallBuffer(keys.vouching))
        if (!visitor) await answer(questionsIn(all), own)
        const answers = answersIn(all, nonce)
        const silent = [...heard.keys()].filter((id) => !answers.some(({ by }) => by === id))
        const enough = silent.length === 0 || (from !== "all" && answers.some(({ vouches }) => vouches))
        if (enough || now() >= until) return { answers, silent }
        await new Promise((resolve) => setTimeout(resolve, lookMs))
      }
    },
    leave: async () => {
      await attempt("say that this replica ends", () => say(true))
    },
  }
}
