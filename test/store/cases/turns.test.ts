// Votes of one process that add to the same sum go one after the other.
import { expect, test } from "vitest"
import { createTurn } from "../../../src/store/cases/sums.ts"

const id = { instance: "main", sum: "args.amount", per: null }

test("a process carries out work on one sum one after the other, and on others at once", async () => {
  const inTurn = createTurn()
  const other = { ...id, instance: "other" }
  const gate = Promise.withResolvers<void>()
  const done: string[] = []
  const note = (word: string) => async () => void done.push(word)

  const first = inTurn([id], () => gate.promise.then(note("first")))
  const failed = inTurn([id, other], async () => Promise.reject(new Error("a failure")))
  const third = inTurn([id], note("third"))
  await inTurn([{ ...id, sum: "args.other" }], note("beside"))
  gate.resolve()
  await Promise.allSettled([first, failed, third])

  expect(done).toEqual(["beside", "first", "third"])
  await expect(failed).rejects.toThrow("a failure")
})
