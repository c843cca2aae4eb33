// Each route of the description is tried with another user's id: by `user_id` where the description has it, and under
// user isolation by who asks. Ann's rows stay as they are, and nothing of them is told.
import { beforeAll, expect, test } from "vitest"
import { servedRoutes } from "../../../src/service/gate/route-table.ts"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import { type Asked, ann, askedOf, ben, type Description, descriptionOf, rowsOfAnn, seenOfAnn } from "./anns-rows.ts"

const everyScope = [...new Set(Object.values(servedRoutes).flat())]
let document: Description
let byUser: readonly Asked[]
let everything: readonly Asked[]

beforeAll(async () => {
  const service = await aFullService()
  document = await descriptionOf(service)
  await service.close()
  everything = askedOf(document, {})
  byUser = everything.filter(({ userIn }) => userIn !== null)
})

interface World {
  readonly service: TestService
  /** What the operations are asked here. */
  readonly asked: readonly Asked[]
  readonly seen: () => Promise<string>
}

/** Runs `then` where ann has rows. */
async function withRows(userIsolation: boolean, then: (world: World) => Promise<void>): Promise<void> {
  const service = await aFullService({ userIsolation })
  try {
    const admin = await aToken(["service:admin"])
    const ids = await rowsOfAnn(service, await aToken(everyScope, { sub: ann }))
    await then({ service, asked: askedOf(document, ids), seen: () => seenOfAnn(service, admin, ids) })
  } finally {
    await service.close()
  }
}

/** The request with a `user_id` where the description has it. */
function inTheNameOf(user: string, { request, options, userIn }: Asked) {
  if (userIn === "query") return [`${request}?user_id=${user}`, options] as const
  const { json, form } = options
  if (form !== undefined) return [request, { form: { ...form, user_id: user } }] as const
  return [request, { json: { ...(json as object), user_id: user } }] as const
}

test("every route of one session has a user_id", () => {
  const without = everything.filter(({ operation, userIn }) => / \/sessions/.test(operation) && userIn === null)

  expect(without.map(({ operation }) => operation)).toEqual([])
})

/** What is wrong with an answer to somebody else, one line each. */
function faultsOf({ operation, names }: Asked, { status, text }: Answer, isSame: boolean): readonly string[] {
  const wanted = operation.startsWith("DELETE") ? [204, 404] : [404]
  return [
    ...(isSame ? [] : [`${operation} changed ann's rows`]),
    ...(text.includes(ann) ? [`${operation} told: ${text}`] : []),
    ...(names && !wanted.includes(status) ? [`${operation} of ann's row is ${status}: ${text}`] : []),
  ]
}

/** True if a request about ann's rows was understood, so that its refusal for others means something. */
function isUnderstood({ status, text }: Answer): boolean {
  return status < 300 || text.includes("approval before it can be continued")
}

test("a token without a subject that names another user finds, changes and removes nothing of ann's", async () => {
  const faults: string[] = []
  for (const { operation } of byUser) {
    await withRows(false, async ({ service, asked: all, seen }) => {
      const [asked] = all.filter((one) => one.operation === operation)
      if (asked === undefined) throw new Error(`${operation} is not described`)
      const token = await aToken(everyScope)
      const before = await seen()
      const [request, options] = inTheNameOf(ben, asked)
      const answer = await call(service, request, { token, ...options })
      faults.push(...faultsOf(asked, answer, (await seen()) === before))
      const [same, hers] = inTheNameOf(ann, asked)
      const control = await call(service, same, { token, ...hers })
      if (!isUnderstood(control)) faults.push(`${operation} for ann is ${control.status}: ${control.text}`)
      if (asked.operation.startsWith("GET") && control.text === answer.text) faults.push(`${operation} is the same`)
    })
  }

  expect(faults).toEqual([])
  expect(byUser.length).toBeGreaterThan(30)
})

test("under user isolation another person finds, changes and removes nothing of ann's, on any route", async () => {
  const faults: string[] = []
  await withRows(true, async ({ service, asked: all, seen }) => {
    const token = await aToken(everyScope, { sub: ben })
    for (const asked of all) {
      const before = await seen()
      const answer = await call(service, asked.request, { token, ...asked.options })
      faults.push(...faultsOf(asked, answer, (await seen()) === before))
    }
  })

  expect(faults).toEqual([])
})
