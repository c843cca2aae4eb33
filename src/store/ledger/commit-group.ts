// Group commit: commits that come while another is on its way to Redis go together. Each gets its own answer.
import { ReplyError } from "ioredis"
import type { RedisScript } from "../redis/script.ts"

/** The arguments of one commit. Here a key stands with its name; the script gets the key's number. */
export type CommitOrder = readonly (string | number | Buffer | { readonly key: string })[]

/** The most commits that go together. */
const maxTogether = 32
/** How long a commit waits at most for the answer to earlier commits, in ms. */
const waitMs = 1

/** A commit that waits. */
interface Waiting extends Pick<PromiseWithResolvers<unknown>, "resolve" | "reject"> {
  readonly order: CommitOrder
}

/**
 * Makes the sender of commits. A single commit goes at once. Resolves with the script's reply to this commit; rejects
 * with the error of ioredis, or with what Redis said of this commit. `fixed` are the first keys of the script.
 */
export function createCommitGroup(
  run: RedisScript,
  fixed: readonly string[],
): (order: CommitOrder) => Promise<unknown> {
  let waiting: Waiting[] = []
  let onTheirWay = 0
  let timer: NodeJS.Timeout | undefined
  const send = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const group = waiting.slice(0, maxTogether)
    waiting = waiting.slice(maxTogether)
    if (group.length === 0) return
    onTheirWay += 1
    await runTogether(run, fixed, group)
    onTheirWay -= 1
    if (waiting.length > 0) void send()
  }
  return (order) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.push({ order, resolve, reject })
    if (onTheirWay === 0 || waiting.length >= maxTogether) void send()
    else timer ??= setTimeout(() => void send(), waitMs)
    return promise
  }
}

/** Runs a group as one script. Never rejects: each commit gets its own result. */
async function runTogether(run: RedisScript, fixed: readonly string[], group: readonly Waiting[]): Promise<void> {
  const numbers = new Map(fixed.map((key, index) => [key, index + 1]))
  const numberOf = (key: string): number => {
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return number
  }
  const args = group.flatMap(({ order }) =>
    order.map((one) => (typeof one === "object" && "key" in one ? numberOf(one.key) : one)),
  )
  try {
    const replies = await run([...numbers.keys()], [group.length, ...args])
    for (const [index, one] of group.entries()) answer(one, Array.isArray(replies) ? replies[index] : replies)
  } catch (error) {
    for (const one of group) one.reject(error)
  }
}

function answer({ resolve, reject }: Waiting, reply: unknown): void {
  const [word, said] = Array.isArray(reply) ? reply : []
  if (String(word) === "error") reject(new ReplyError(String(said)))
  else resolve(reply)
}
