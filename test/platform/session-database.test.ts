// Requests at once to an instance with several databases: each names the instance's own in the end.
import { expect, test } from "vitest"
import { createDatabaseReader } from "../../src/platform/sessions.ts"

const asking = "which database?"

/** A reader whose answers arrive when the test says so, and the paths that it read. */
function aReader(own: string | null) {
  const paths: string[] = []
  const answers: ((answer: string) => void)[] = []
  const read = createDatabaseReader({
    read: (path) => {
      paths.push(path)
      return new Promise<string>((resolve) => answers.push(resolve))
    },
    asks: (answer) => answer === asking,
    own: async () => own,
  })
  const answerLast = async (answer: string) => {
    answers.at(-1)?.(answer)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { read, paths, answers, answerLast }
}

test("trap 75: a request whose answer asks for a database after another one found it is sent again with it", async () => {
  const { read, paths, answers, answerLast } = aReader("own db")
  const late = read("/sessions/late/runs")
  const quick = read("/sessions?page=1")
  await answerLast(asking)
  await answerLast("found")
  expect(await quick).toBe("found")

  answers[0]?.(asking)
  await new Promise((resolve) => setImmediate(resolve))
  await answerLast("found, too")

  expect(await late).toBe("found, too")
  expect(paths).toEqual([
    "/sessions/late/runs",
    "/sessions?page=1",
    "/sessions?page=1&db_id=own%20db",
    "/sessions/late/runs?db_id=own%20db",
  ])
})

test("a request that already named the database is not sent again, whatever is asked", async () => {
  const { read, paths, answerLast } = aReader("db")
  const first = read("/a")
  await answerLast(asking)
  await answerLast(asking)

  expect(await first).toBe(asking)
  const second = read("/b")
  await answerLast(asking)
  expect(await second).toBe(asking)
  expect(paths).toEqual(["/a", "/a?db_id=db", "/b?db_id=db"])
})

test("where the instance does not name its database, the answer that asked is given", async () => {
  const { read, paths, answerLast } = aReader(null)
  const asked = read("/a")
  await answerLast(asking)

  expect(await asked).toBe(asking)
  expect(paths).toEqual(["/a"])
})
