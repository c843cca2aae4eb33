// What operators read while Redis takes no writes: an alarm a minute, and none of the lines that only say the same.
import { expect, onTestFinished, test } from "vitest"
import { createRefusedWrites } from "../../src/bot/refused-writes.ts"
import { createLog } from "../../src/log.ts"
import { StoreError } from "../../src/store/errors.ts"
import { until } from "../stories/acts.ts"
import { platformFailure } from "../support/port-failure.ts"

const full = "OOM command not allowed when used memory > 'maxmemory'."
const refusal = new StoreError("redis-unreachable", "commit: Redis cannot be used now", { cause: new Error(full) })

/** A watch over a Redis that takes writes or not, as the test says, and the clock of the process. */
function aWatch() {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)), clock: () => 0, secrets: [] })
  const redis: { refuses: Error | null; asked: number; now: number; answers?: Promise<void> } = {
    refuses: null,
    asked: 0,
    now: 0,
  }
  const alarm = (told: object) => log.error("alarm", { ...told })
  const refused = createRefusedWrites({ log, alarm, now: () => redis.now, lookMs: 1 })
  const stop = refused.watch(async () => {
    const { refuses, answers } = redis
    redis.asked += 1
    await answers
    if (refuses !== null) throw refuses
  })
  onTestFinished(stop)
  /** Three more looks are over, so that two of them saw Redis as it is now. */
  const looked = async () => {
    const before = redis.asked
    await until("more looks", () => (redis.asked > before + 3 ? true : undefined))
  }
  return { log: refused.log, lines, redis, looked }
}

test("a Redis that takes no writes is one alarm a minute, which counts the lines that were left out", async () => {
  const { log, lines, redis, looked } = aWatch()
  redis.refuses = refusal

  for (let line = 0; line < 5; line += 1) log.warn("worker-error", { queue: "sweep", message: full })
  await looked()
  log.error("slack-listener-failed", { error: refusal })
  log.child({ instance: "main" }).warn("job-delayed", { error: refusal })
  redis.now = 59_999
  await looked()
  const before = [...lines]
  redis.now = 60_000
  await looked()

  const alarm = { event: "alarm", code: "store-refuses-writes", reason: "OOM", why: full }
  expect(before).toEqual([expect.objectContaining({ ...alarm, linesLeftOut: 5 })])
  expect(before[0]).toMatchObject({ hint: expect.stringContaining("raise maxmemory") })
  expect(lines.slice(1)).toEqual([expect.objectContaining({ ...alarm, linesLeftOut: 2 })])
})

test("the operator is told once that Redis takes writes again", async () => {
  const { lines, redis, looked } = aWatch()
  redis.refuses = refusal
  await looked()

  redis.refuses = null
  await looked()

  expect(lines.map(({ event }) => event)).toEqual(["alarm", "store-takes-writes-again"])
})

test("what passes before anybody is alarmed is one warning", async () => {
  const { log, lines, looked } = aWatch()

  log.warn("worker-error", { message: "READONLY You can't write against a read only replica." })
  log.warn("worker-error", { message: "READONLY You can't write against a read only replica." })
  await looked()

  expect(lines).toEqual([
    expect.objectContaining({ level: "warn", event: "store-refused-writes", reason: "READONLY", linesLeftOut: 2 }),
  ])
})

test("a write that Redis took before it began to refuse is no news that it takes them again", async () => {
  const { log, lines, redis, looked } = aWatch()
  const slow = Promise.withResolvers<void>()
  redis.answers = slow.promise
  const before = redis.asked
  await until("a look that waits", () => (redis.asked > before ? true : undefined))

  log.warn("worker-error", { message: full })
  delete redis.answers
  slow.resolve()
  redis.refuses = refusal
  await looked()

  expect(lines).toEqual([expect.objectContaining({ event: "alarm", linesLeftOut: 1 })])
})

test.each([
  ["NOPERM", "NOPERM this user has no permissions to run the 'set' command"],
  [
    "NOPERM",
    "ERR The user executing the script can't run this command or subcommand script: d96ca6, on @user_script:9.",
  ],
  ["NOPERM", "ERR ACL failure in script: User app has no permissions to run the 'hset' command"],
  ["NOAUTH", "NOAUTH Authentication required."],
  ["NOAUTH", "WRONGPASS invalid username-password pair or user is disabled."],
])("a user that Redis lets write no more (%s) is told by alarm, in place of lines: %s", async (reason, why) => {
  const { log, lines, redis, looked } = aWatch()
  redis.refuses = new StoreError("redis-refused", "commit: Redis refused", { cause: new Error(why) })

  log.warn("worker-error", { queue: "sweep", message: why })
  await looked()

  const alarm = { event: "alarm", code: "store-refuses-writes", reason, why, linesLeftOut: 1 }
  expect(lines).toEqual([expect.objectContaining(alarm)])
})

test("what is not about our Redis taking writes is logged as ever, and so is an alarm", async () => {
  const { log, lines, redis, looked } = aWatch()
  redis.refuses = refusal
  await looked()
  lines.length = 0

  log.warn("job-delayed", { error: platformFailure(full) })
  log.warn("redis-error", { message: "connect ECONNREFUSED" })
  log.error("alarm", { code: "press-failed", error: refusal })
  log.info("case", { error: refusal })

  expect(lines.map(({ event }) => event)).toEqual(["job-delayed", "redis-error", "alarm", "case"])
})

test("a Redis that does not answer at all is no refusal of writes", async () => {
  const { lines, redis, looked } = aWatch()

  redis.refuses = new StoreError("redis-timeout", "write and read a key of our own: Redis did not answer in time")
  await looked()

  expect(lines).toEqual([])
})
