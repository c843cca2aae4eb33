// People: who counts as ours, a guest, an external, a bot; caches that never grow old; and no guess where Slack does not say.
import { describe, expect, it } from "vitest"
import { CAST } from "../../src/sandbox/seed.ts"
import type { SlackIdentity } from "../../src/slack/identity.ts"
import { personOf, type SlackUser } from "../../src/slack/person-of.ts"
import { aHouse } from "./house.ts"

const TEAM = "T0SANDBOX"
const us = (user: string) => ({ team: TEAM, user })
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

describe("in a workspace", () => {
  it("a person is told with name, verified e-mail and the moment of reading", async () => {
    const { slack } = await aHouse("socket", { clock: () => 1_000 })

    const alice = await slack.people.look(us(CAST.alice), 0)

    expect(alice).toMatchObject({ ...us(CAST.alice), name: "alice", email: "alice@sandbox.example", readAt: 1_000 })
    expect(alice).toMatchObject({ bot: false, deactivated: false, guest: false, external: false })
    expect(slack.people.team).toBe(TEAM)
  })

  it("guests, strangers, bots and deactivated people are told as such", async () => {
    const { slack } = await aHouse()
    const look = (user: string, team = TEAM) => slack.people.look({ team, user }, 30_000)

    expect(await look(CAST.gus)).toMatchObject({ guest: true, external: false })
    expect(await look(CAST.sam, "T0ELSEWHERE")).toMatchObject({ team: "T0ELSEWHERE", external: true, email: null })
    expect(await look(CAST.bot)).toMatchObject({ bot: true })
    expect(await look(CAST.dan)).toMatchObject({ deactivated: true })
  })

  it("R7: a click that names another workspace makes its person external", async () => {
    const { slack } = await aHouse()

    expect(await slack.people.look({ team: "T0ELSEWHERE", user: CAST.alice }, 0)).toMatchObject({
      team: "T0ELSEWHERE",
      external: true,
      email: null,
    })
  })

  it("without the scope for e-mails there is none, and nobody is found by one", async () => {
    const { sandbox, slack } = await aHouse()
    sandbox.scopes.delete("users:read.email")

    expect(await slack.people.look(us(CAST.alice), 0)).toMatchObject({ email: null })
    expect(await failure(slack.people.byEmail("alice@sandbox.example", 0))).toMatchObject({
      slackCode: "missing_scope",
    })
  })

  it("an e-mail means its person, or nobody", async () => {
    const { slack } = await aHouse()

    expect(await slack.people.byEmail("Alice@Sandbox.example", 0)).toEqual(us(CAST.alice))
    expect(await slack.people.byEmail("nobody@sandbox.example", 0)).toBeNull()
  })

  it("a user group's members are persons of ours", async () => {
    const { slack } = await aHouse()

    expect(await slack.people.members(CAST.approvers, 0)).toEqual([`${TEAM}:${CAST.alice}`, `${TEAM}:${CAST.bob}`])
  })

  it("what Slack does not say is a failure", async () => {
    const { sandbox, slack } = await aHouse()
    sandbox.faults.web("users.info", { kind: "status", status: 500 })

    expect(await failure(slack.people.look(us(CAST.alice), 0))).toMatchObject({ retryable: true })
    expect(await failure(slack.people.look(us("U0NOBODY"), 0))).toMatchObject({
      slackCode: "user_not_found",
      retryable: false,
    })
    expect(await failure(slack.people.members("S0NONE", 0))).toMatchObject({ name: "ChatError", retryable: false })
  })
})

describe("the cache", () => {
  it("R5: a person is read anew once the answer is older than the reader allows", async () => {
    let now = 0
    let calls = 0
    const counting = async (url: string | URL, init?: object) => {
      if (String(url).endsWith("users.info")) calls += 1
      return fetch(url, init)
    }
    const { slack } = await aHouse("socket", { clock: () => now, fetch: counting })

    await Promise.all([slack.people.look(us(CAST.alice), 30_000), slack.people.look(us(CAST.alice), 30_000)])
    now = 30_000
    await slack.people.look(us(CAST.alice), 30_000)
    expect(calls).toBe(1)
    now = 30_001
    await slack.people.look(us(CAST.alice), 30_000)

    expect(calls).toBe(2)
  })

  it("a failure is not remembered", async () => {
    const { sandbox, slack } = await aHouse()
    sandbox.faults.web("users.info", { kind: "status", status: 500 })

    await failure(slack.people.look(us(CAST.alice), 30_000))

    expect(await slack.people.look(us(CAST.alice), 30_000)).toMatchObject({ name: "alice" })
  })
})

describe("the fields of a Slack user", () => {
  const identity: SlackIdentity = {
    team: "T1",
    enterprise: "E1",
    botUser: "UB",
    bot: "B1",
    app: null,
    teamName: "One",
    url: null,
    scopes: [],
  }
  const judged = (user: Partial<SlackUser>, us: SlackIdentity = identity) =>
    personOf({ id: "U1", name: "u", team_id: "T1", profile: { email: "u@example.com" }, ...user }, us, 0)

  it.each([
    ["of our team", { team_id: "T1" }, false],
    ["of our enterprise, told by its id", { team_id: "E1" }, false],
    ["of another team of our enterprise", { team_id: "T2", enterprise_user: { enterprise_id: "E1" } }, false],
    ["of another team", { team_id: "T2" }, true],
    ["of another enterprise", { team_id: "T2", enterprise_user: { enterprise_id: "E2" } }, true],
    ["a stranger", { team_id: "T1", is_stranger: true }, true],
  ] as const)("%s", (_, user, external) => {
    expect(judged(user)).toMatchObject({ external, team: external ? user.team_id : "T1" })
    expect(judged(user).email).toBe(external ? null : "u@example.com")
  })

  it("without a team there is no telling, and the person is external", () => {
    expect(personOf({ id: "U1" }, { ...identity, enterprise: null }, 0)).toMatchObject({
      external: true,
      team: "unknown",
    })
  })

  it.each([{ is_bot: true }, { is_workflow_bot: true }, { is_connector_bot: true }, { id: "USLACKBOT" }])(
    "a bot: %j",
    (user) => {
      expect(judged(user).bot).toBe(true)
    },
  )

  it.each([{ is_restricted: true }, { is_ultra_restricted: true }])("a guest: %j", (user) => {
    expect(judged(user).guest).toBe(true)
  })

  it("an address that nobody confirmed is none", () => {
    expect(judged({ is_email_confirmed: false }).email).toBeNull()
    expect(judged({ profile: {} }).email).toBeNull()
  })

  it("the name is what people see, else the next best", () => {
    expect(judged({ profile: { display_name: "", real_name: "Una" } }).name).toBe("Una")
    expect(judged({ name: "", profile: {} }).name).toBe("U1")
  })
})
