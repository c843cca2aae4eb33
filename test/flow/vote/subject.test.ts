// In whose name a decision goes out where the platform attests it: the listed subject, else the pinned e-mail, and
// nobody else's.

import { describe, expect, test } from "vitest"
import type { Platform, Ports } from "../../../src/flow/ports.ts"
import { resolve } from "../../../src/flow/resolve/send.ts"
import { aPerson, aPolicy, aRule, team } from "../../support/builders.ts"
import { createWorld, type World } from "../../support/memory-ports.ts"
import { announced, announcedWorld, answering, caseOf, pressed } from "../support.ts"

/** The ports before a platform that wants each resolve in the human's own name. */
function delegating(world: World, more: Partial<Platform> = {}): Ports {
  return { ...world.ports, platforms: new Map([["main", { ...world.platform, delegated: true, ...more }]]) }
}

const bodyOf = (world: World) => JSON.parse(world.platform.bodies.at(-1) ?? "{}") as { resolved_by: string }

describe("where each resolve is signed for the human", () => {
  test("R7 the subject that identities lists for them is theirs there", async () => {
    const identities = [{ subject: "jane@corp.example", team, user: "U1" }]
    const world = await announcedWorld({ policy: aPolicy([aRule()], identities) })

    const { case: after } = await pressed(world, {}, delegating(world))

    expect(after.outcome).toMatchObject({ kind: "ours" })
    expect(world.platform.principals).toEqual([{ subject: "jane@corp.example", decision: after.decision?.id }])
    expect(bodyOf(world).resolved_by).toBe("jane@corp.example")
  })

  test("R7 else it is their e-mail, pinned to them from now on", async () => {
    const world = await announcedWorld()

    await pressed(world, {}, delegating(world))

    expect(world.platform.principals).toMatchObject([{ subject: "u1@example.com" }])
    expect(await world.ports.identityLinks.read("u1@example.com")).toEqual({
      person: { team, user: "U1" },
      contested: null,
    })
  })

  test("R7 an e-mail that was pinned to somebody else is refused and reported, and nothing is sent", async () => {
    const world = await announcedWorld()
    await world.ports.identityLinks.pin("u1@example.com", { team, user: "U9" }, 0)

    const { answers, case: after } = await pressed(world, {}, delegating(world))

    const refusal = { code: "conflicting-email", email: "u1@example.com" }
    expect(answers).toEqual([{ kind: "refused", refusal }])
    expect(after).toMatchObject({ state: "open", votes: [] })
    expect(world.platform.bodies).toEqual([])
    expect(world.alarms).toMatchObject([{ code: "email-means-somebody-else", pinned: `${team}:U9`, now: `${team}:U1` }])
  })

  test.each([
    ["without an e-mail", { email: null }, []],
    ["whose listed subject is reserved", {}, [{ subject: "sa:bot", team, user: "U1" }]],
  ])("somebody %s is told that they have no name there", async (_, person, identities) => {
    const world = createWorld({ policy: aPolicy([aRule()], identities) })
    world.people.set(aPerson({ user: "U1", ...person }))
    await announced(world)

    const { answers, case: after } = await pressed(world, {}, delegating(world))

    expect(answers).toEqual([{ kind: "refused", refusal: { code: "no-subject" } }])
    expect(after.votes).toEqual([])
    expect(world.platform.bodies).toEqual([])
  })

  test("a subject of more than 255 characters is refused before anything is sent (specification 8)", async () => {
    const identities = [{ subject: "x".repeat(256), team, user: "U1" }]
    const world = await announcedWorld({ policy: aPolicy([aRule()], identities) })

    const { answers } = await pressed(world, {}, delegating(world))

    expect(answers).toEqual([{ kind: "subject-too-long", length: 256 }])
  })

  test("R9 every further attempt is made for the same human and decision, whoever is listed by then", async () => {
    const world = await announcedWorld()
    world.platform.failResolve({ kind: "unheard", applied: false })
    const { case: sending } = await pressed(world, {}, delegating(world))
    const other = world.process(aPolicy([aRule()], [{ subject: "other@corp.example", team, user: "U1" }]))
    const platforms = delegating(world).platforms

    await resolve({ ...other, store: world.ports.store, platforms }, sending.id)

    const [first, second] = world.platform.principals
    expect(first).toEqual({ subject: "u1@example.com", decision: sending.decision?.id })
    expect(second).toEqual(first)
    expect(caseOf(world).outcome).toMatchObject({ kind: "ours" })
  })

  test("R9 an attempt for which no token could be signed was never sent, and is made again", async () => {
    const world = await announcedWorld()
    world.platform.failResolve(answering({ kind: "unsigned", why: "the key for delegated tokens cannot be read" }))
    const { case: waiting } = await pressed(world, {}, delegating(world))

    await resolve(delegating(world), waiting.id)

    expect(waiting).toMatchObject({ state: "sending", sending: { attempts: [{ result: "refused" }] } })
    expect(world.alarms).toMatchObject([
      { code: "resolve-refused-for-now", result: "not sent: the key for delegated tokens cannot be read" },
    ])
    expect(caseOf(world).outcome).toMatchObject({ kind: "ours" })
  })
})

test("where the platform only records a name, it is the template's, and nothing is pinned", async () => {
  const world = await announcedWorld({
    policy: aPolicy([aRule()], [{ subject: "jane@corp.example", team, user: "U1" }]),
  })

  await pressed(world)

  expect(world.platform.principals).toMatchObject([{ subject: "u1@example.com" }])
  expect(await world.ports.identityLinks.read("u1@example.com")).toBeNull()
})
