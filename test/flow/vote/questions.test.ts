// Ask and answer: who may ask whom, who may answer, and that nothing of the decision changes.
import { describe, expect, test } from "vitest"
import type { Rule } from "../../../src/domain/rule/rule.ts"
import { shownTo } from "../../../src/flow/query/case-view.ts"
import { askForAnswer } from "../../../src/flow/vote/answer-question.ts"
import { askForQuestion } from "../../../src/flow/vote/ask-question.ts"
import { anApproval, aPerson, aPolicy, aRule, aTiming, team } from "../../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../../support/memory-ports.ts"
import { aView } from "../../support/presses.ts"
import { anAnswerSent, aPressOnQuestion, aQuestionSent, questionsOf } from "../questions.ts"
import { announced, announcedWorld, carried, caseOf, ledgerKinds, pressed, twoOfThree } from "../support.ts"

const asker = (user: string) => ({ team, user })

async function asked(world: World, writing: Parameters<typeof aQuestionSent>[1] = {}) {
  return carried(world, await aQuestionSent(world, writing))
}

async function answered(world: World, writing: Parameters<typeof anAnswerSent>[1] = {}) {
  return carried(world, await anAnswerSent(world, writing))
}

/** A world in which nobody knows who asked, and questions go to U7. */
async function unknownWorld(changes: Partial<Rule> = {}, options: WorldOptions = {}): Promise<World> {
  const ask = [{ kind: "person", id: "U7" }] as const
  const world = createWorld({ policy: aPolicy([aRule({ ask, ...changes })]), ...options })
  world.people.set(aPerson({ user: "U7" }))
  await announced(world, anApproval({ userId: "somebody" }))
  return world
}

/** What Details offer to somebody. */
async function offered(world: World, user: string): Promise<boolean> {
  return (await shownTo(world.ports, caseOf(world), asker(user), null)).mayAsk === true
}

describe("a question", () => {
  test("goes to whoever asked for the run, into the thread and the ledger, and nothing of the decision changes", async () => {
    const world = await announcedWorld({ policy: aPolicy([twoOfThree]) })
    await pressed(world, { user: "U2" })
    const before = caseOf(world)

    const { answers, case: after } = await asked(world)

    expect(answers).toEqual([{ kind: "question-asked", to: "requester" }])
    expect(world.chat.questions.map(({ place }) => place.channel)).toEqual(["DUASK"])
    expect(questionsOf(after)).toEqual([{ by: "U1", text: "Why this customer?", to: "requester" }])
    expect([after.votes, after.time, after.revision, after.state]).toEqual([
      before.votes,
      before.time,
      before.revision,
      "open",
    ])
    expect(world.chat.messages[0]?.lines.at(-1)?.event).toMatchObject({ kind: "asked", person: `${team}:U1` })
    expect(ledgerKinds(world)).toContain("asked")
  })

  test("is not offered to the requester, nor to somebody who may not vote", async () => {
    const world = await announcedWorld({ policy: aPolicy([aRule({ approvers: [{ kind: "user", id: "UASK" }] })]) })

    expect(await offered(world, "UASK")).toBe(false)
    expect(await offered(world, "U3")).toBe(false)
    expect((await asked(world, { user: "UASK" })).answers).toEqual([
      { kind: "not-asked", why: "nobody", said: "Why this customer?" },
    ])
    expect((await asked(world, { user: "U3" })).answers).toMatchObject([{ kind: "not-asked", why: "not-voter" }])
    expect(world.chat.questions).toEqual([])
  })

  test("of a requester with a Slack id goes to that account", async () => {
    const world = await announcedWorld({}, anApproval({ userId: `slack:${team}:U3` }))

    await asked(world)

    expect(world.chat.questions.map(({ model }) => model.route)).toEqual(["person:U3"])
  })

  test.each(["sa:nightly", "somebody", null])(
    "has nowhere to go where %s asked and no rule says ask",
    async (userId) => {
      const world = await announcedWorld({}, anApproval({ userId }))

      expect(await offered(world, "U1")).toBe(false)
      expect((await asked(world)).answers).toMatchObject([{ kind: "not-asked", why: "nobody" }])
    },
  )

  test("goes to those whom the rule lists where nobody knows who asked", async () => {
    const world = await unknownWorld({
      ask: [
        { kind: "person", id: "U7" },
        { kind: "channel", id: "C7" },
      ],
    })

    expect(await offered(world, "U1")).toBe(true)
    const { answers } = await asked(world)

    expect(answers).toEqual([{ kind: "question-asked", to: "listed" }])
    expect(world.chat.questions.map(({ model }) => model.route)).toEqual(["person:U7", "channel:C7"])
  })

  test("goes to those whom the rule lists where the requester may not see the case", async () => {
    const world = await unknownWorld()
    world.people.set(aPerson({ user: "UGUEST", email: "guest@example.com", guest: true }))
    await announced(world, anApproval({ id: "a-2", userId: "guest@example.com" }))

    await asked(world, { approval: "a-2" })

    expect(world.chat.questions.map(({ model }) => model.route)).toEqual(["person:U7"])
  })

  test("goes to those whom the rule lists where identities name an account that Slack does not know", async () => {
    const identities = [{ subject: "somebody", team, user: "UGONE" }]
    const ask = [{ kind: "person", id: "U7" }] as const
    const world = createWorld({ policy: aPolicy([aRule({ ask })], identities) })
    await announced(world, anApproval({ userId: "somebody" }))

    await asked(world)

    expect(world.chat.questions.map(({ model }) => model.route)).toEqual(["person:U7"])
  })

  test("never goes to a channel that another company reads: then the rest is asked, or nobody", async () => {
    const world = await unknownWorld({ ask: [{ kind: "channel", id: "C7" }] })
    world.chat.share("C7", true)

    const { answers, case: after } = await asked(world)

    expect(answers).toMatchObject([{ kind: "not-asked", why: "not-posted", said: "Why this customer?" }])
    expect(world.chat.questions).toEqual([])
    expect(questionsOf(after)).toHaveLength(1)
  })

  test("shows nothing that the rules mask, on whatever surface", async () => {
    const world = await announcedWorld({ policy: aPolicy([aRule({ mask: ["/sk-[a-z0-9]+/"] })]) })

    await asked(world, { text: "is sk-abc123 still good?" })
    await answered(world, { text: "no, sk-def456 is" })

    const kept = JSON.stringify([caseOf(world), world.chat.questions, world.server.ledger, world.chat.answersTold])
    expect(kept).not.toContain("sk-abc123")
    expect(kept).not.toContain("sk-def456")
    expect(questionsOf(caseOf(world))[0]?.text).toMatch(/^is .+ still good\?$/)
  })

  test("is one of five at most about a case", async () => {
    const world = await announcedWorld()
    for (let count = 0; count < 5; count += 1) await asked(world)

    expect(await offered(world, "U1")).toBe(false)
    expect((await asked(world)).answers).toMatchObject([{ kind: "not-asked", why: "asked-out" }])
    expect(caseOf(world).questions).toHaveLength(5)
  })

  test("is one of ten an hour at most to one person, and possible again after that", async () => {
    const world = await announcedWorld()
    for (const id of ["a-2", "a-3"]) await announced(world, anApproval({ id }))
    for (const approval of ["a-1", "a-2"]) for (let count = 0; count < 5; count += 1) await asked(world, { approval })

    expect((await asked(world, { approval: "a-3" })).answers).toMatchObject([{ kind: "not-asked", why: "too-often" }])
    world.clock.forward(3_600_001)
    expect((await asked(world, { approval: "a-3" })).answers).toEqual([{ kind: "question-asked", to: "requester" }])
  })

  test("comes too late once the case is decided, and its words come back", async () => {
    const world = await announcedWorld()
    const press = await aQuestionSent(world)
    await pressed(world, { verb: "reject", reason: "no" })

    expect((await carried(world, press)).answers).toEqual([
      { kind: "not-asked", why: "over", said: "Why this customer?" },
    ])
  })

  test("comes too late once the time is over", async () => {
    const world = await announcedWorld({ policy: aPolicy([aRule({ timing: aTiming({ expireAfter: 60_000 }) })]) })
    const press = await aQuestionSent(world)
    world.clock.forward(60_000)

    expect((await carried(world, press)).answers).toMatchObject([{ kind: "not-asked", why: "over" }])
  })

  test("counts only from a view that we opened for this person and for a question (R18)", async () => {
    const world = await announcedWorld()
    const press = await aQuestionSent(world)

    const other = { ...press, interaction: "other", person: asker("U2") }
    expect((await carried(world, other)).answers).toEqual([{ kind: "replaced" }])
    await world.ports.views.remember(aView(caseOf(world), { viewId: "V9", purpose: "form", verb: "reject" }))
    const form = { ...press, interaction: "form", on: { kind: "view", viewId: "V9" } } as const
    expect((await carried(world, form)).answers).toEqual([{ kind: "replaced" }])
    expect(world.chat.questions).toEqual([])
  })

  test("about content that changed meanwhile is not sent", async () => {
    const world = await announcedWorld()
    const press = await aQuestionSent(world)
    await announced(world, anApproval({ toolArgs: { table: "orders" } }))

    expect((await carried(world, press)).answers).toMatchObject([{ kind: "not-asked", why: "changed" }])
  })

  test("is posted by the next process if the first one died after the commit, and asked once", async () => {
    const world = await announcedWorld()
    const press = await aQuestionSent(world)
    world.chat.fail("DUASK", { kind: "unheard", accepted: true })

    await expect(carried(world, press)).rejects.toMatchObject({ code: "timeout" })
    expect(world.tickets.waiting).toHaveLength(1)
    const { answers } = await carried(world, press)

    expect(answers).toEqual([{ kind: "question-asked", to: "requester" }])
    expect(world.chat.questions).toHaveLength(1)
    expect(ledgerKinds(world).filter((kind) => kind === "asked")).toHaveLength(1)
  })

  test("gets its form only where it could be sent", async () => {
    const world = await announcedWorld()
    await world.ports.views.remember(aView(caseOf(world)))
    const press = { ...(await aQuestionSent(world)), on: { kind: "view", viewId: "V1" }, surface: "details" } as const

    expect(await askForQuestion(world.ports, press)).toMatchObject({ kind: "form", to: "requester", question: null })
    await pressed(world, { verb: "reject", reason: "no" })
    expect(await askForQuestion(world.ports, press)).toMatchObject({ kind: "answer", answer: { why: "over" } })
  })
})

describe("an answer", () => {
  test("closes the question, stands under its account, and whoever asked is told", async () => {
    const world = await announcedWorld()
    await asked(world)

    const { answers, case: after } = await answered(world)

    expect(answers).toEqual([{ kind: "answer-given", asker: asker("U1") }])
    expect(questionsOf(after)).toMatchObject([{ answer: "She asked for it.", answeredBy: "UASK" }])
    expect(after).toMatchObject({ state: "open", votes: [] })
    expect(world.chat.answersTold).toEqual([{ to: `${team}:U1`, text: "She asked for it." }])
    expect(world.chat.questions[0]?.question.answer?.text).toBe("She asked for it.")
    expect(world.chat.messages[0]?.lines.at(-1)?.event).toMatchObject({ kind: "answered", as: "requester" })
  })

  test("of somebody else comes too late, and both texts are told", async () => {
    const world = await unknownWorld({ ask: [{ kind: "channel", id: "C7" }] })
    await asked(world)
    const [first, second] = [
      await anAnswerSent(world, { user: "U7" }),
      await anAnswerSent(world, { user: "U2", text: "No idea." }),
    ]

    await carried(world, first)
    const { answers } = await carried(world, second)

    expect(answers).toMatchObject([
      {
        kind: "not-answered",
        why: "answered",
        said: "No idea.",
        first: { text: "She asked for it.", by: { user: "U7" } },
      },
    ])
    expect(questionsOf(caseOf(world))).toMatchObject([{ answeredBy: "U7", to: "listed" }])
    expect(ledgerKinds(world).filter((kind) => kind === "answered")).toHaveLength(1)
  })

  test("is taken from nobody but whoever is asked", async () => {
    const world = await announcedWorld()
    await asked(world)

    expect((await answered(world, { user: "U2" })).answers).toMatchObject([{ kind: "not-answered", why: "not-asked" }])
    expect(questionsOf(caseOf(world))[0]).not.toHaveProperty("answer")
  })

  test("is taken no more from whom the rules list no longer, nor from a guest", async () => {
    const world = await unknownWorld()
    await asked(world)
    const press = await anAnswerSent(world, { user: "U7" })

    world.people.set(aPerson({ user: "U7", guest: true }))
    expect((await carried(world, press)).answers).toMatchObject([{ kind: "not-answered", why: "not-asked" }])
  })

  test("comes too late once the case is decided", async () => {
    const world = await announcedWorld()
    await asked(world)
    const press = await anAnswerSent(world)
    await pressed(world, { verb: "reject", reason: "no" })

    expect((await carried(world, press)).answers).toEqual([
      { kind: "not-answered", why: "over", said: "She asked for it." },
    ])
    expect(await askForAnswer(world.ports, aPressOnQuestion(world))).toMatchObject({ answer: { why: "over" } })
  })

  test("is taken only on the message on record (R18)", async () => {
    const world = await announcedWorld()
    await asked(world)
    const press = aPressOnQuestion(world)

    expect(await askForAnswer(world.ports, press)).toMatchObject({
      kind: "form",
      question: { text: "Why this customer?" },
    })
    const elsewhere = { ...press, on: { kind: "card", place: { channel: "DUASK", ts: "9.9" } } } as const
    expect(await askForAnswer(world.ports, elsewhere)).toMatchObject({ answer: { why: "not-asked" } })
  })

  test("stands although the content has changed since it was asked", async () => {
    const world = await announcedWorld()
    await asked(world)
    const press = await anAnswerSent(world)
    await announced(world, anApproval({ toolArgs: { table: "orders" } }))

    expect((await carried(world, press)).answers).toMatchObject([{ kind: "answer-given" }])
  })

  test("counts although Redis lost its last second meanwhile, which voids votes alone (R17)", async () => {
    const world = await announcedWorld()
    await asked(world)
    const press = await anAnswerSent(world)
    world.server.touch(caseOf(world).id)

    expect((await carried(world, press)).answers).toMatchObject([{ kind: "answer-given" }])
  })

  test("is told by the next process if the first one died, and noted once", async () => {
    const world = await announcedWorld()
    await asked(world)
    const press = await anAnswerSent(world)
    world.chat.fail("DU1", { kind: "unheard", accepted: false })

    await expect(carried(world, press)).rejects.toMatchObject({ code: "timeout" })
    expect(world.tickets.waiting).toHaveLength(1)
    await carried(world, press)

    expect(world.chat.answersTold).toHaveLength(1)
    expect(ledgerKinds(world).filter((kind) => kind === "answered")).toHaveLength(1)
  })
})
