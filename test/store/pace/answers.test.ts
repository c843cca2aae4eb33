// What Slack said a moment ago: shared by replicas, sealed with its moment and its name, and never relied on.

import { expect, test } from "vitest"
import { createAnswers } from "../../../src/store/pace/slack-state.ts"
import { aLog } from "../../slack/slack-module.ts"
import { keysLike } from "../../support/redis.ts"
import { openStore } from "../support.ts"

const answer = { at: 1_000, value: { person: { team: "T1", user: "U1" } } }

test("another replica reads what one kept, with its moment; after ten minutes it is gone", async () => {
  const { store, installation, connection } = await openStore()
  const other = await openStore({ installation })
  expect(await other.store.answers.read("email a@example.com")).toBeNull()

  await store.answers.keep("email a@example.com", answer)

  expect(await other.store.answers.read("email a@example.com")).toEqual(answer)
  await store.answers.keep("email a@example.com", { ...answer, at: 2_000 })
  expect(await other.store.answers.read("email a@example.com")).toEqual({ ...answer, at: 2_000 })
  const [key = ""] = await keysLike(connection.commands, `${store.keys.answer("*")}`)
  expect(key).not.toContain("example.com")
  expect(await connection.commands.pttl(key)).toBeLessThanOrEqual(600_000)
})

test("R14: an answer that was changed, or moved to another name, is none, and is logged", async () => {
  const log = aLog()
  const { store, connection } = await openStore({ log })
  const redis = connection.commands
  await store.answers.keep("email a@example.com", answer)
  const [key = ""] = await keysLike(redis, store.keys.answer("*"))
  const sealed = await redis.getBuffer(key)
  await store.answers.keep("groups", answer)
  const other = (await keysLike(redis, store.keys.answer("*"))).find((one) => one !== key) ?? ""
  for (const name of ["groups", "email a@example.com"]) expect(await store.answers.read(name)).toEqual(answer)

  await redis.set(other, sealed ?? "")
  expect(await store.answers.read("groups")).toBeNull()
  await redis.set(key, "nothing of ours, and long enough to be some box")
  expect(await store.answers.read("email a@example.com")).toBeNull()

  expect(log.lines.filter(({ event }) => event === "answer-tampered")).toHaveLength(2)
})

test("while Redis does not answer there are no answers, and nothing fails", async () => {
  const log = aLog()
  const { store, seal, connection } = await openStore()
  await connection.close()
  const answers = createAnswers({ redis: connection.commands, keys: store.keys, seal, log })

  await answers.keep("groups", answer)

  expect(await answers.read("groups")).toBeNull()
  expect(log.lines.map(({ event }) => event)).toEqual(["answers-not-shared", "answers-not-shared"])
})
