// People: who counts as ours, a guest, an external, a bot; caches that never grow old; and no guess where Slack does
// not say.

import { describe, expect, it, onTestFinished } from "vitest"
import type { Json } from "../../../src/domain/content/json.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { createSlack } from "../../../src/slack/app.ts"
import type { SlackIdentity } from "../../../src/slack/directory/identity.ts"
import { personOf, type SlackUser } from "../../../src/slack/directory/slack-user.ts"
import { callsAMinute } from "../../../src/slack/transport/rate-limits.ts"
import { openStore } from "../../store/support.ts"
import { aSharedAnswers, aSlackModule, optionsFor } from "../slack-module.ts"

const TEAM = "T0SANDBOX"
const us = (user: string) => ({ team: TEAM, user })
const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

describe("in a workspace", () => {
  it("a person is told with name, verified e-mail and the moment of reading", async () => {
    const { slack } = await aSlackModule("socket", { clock: () => 1_000 })

    const alice = await slack.people.look(us(sandboxCast.alice), 0)

    expect(alice).toMatchObject({
      ...us(sandboxCast.alice),
      name: "Alice",
      email: "alice@sandbox.example",
      readAt: 1_000,
    })
    expect(alice).toMatchObject({ bot: false, deactivated: false, guest: false, external: false })
    expect(slack.people.home).toMatchObject({ team: TEAM, enterprise: null })
  })

  it("guests, strangers, bots and deactivated people are told as such", async () => {
    const { slack } = await aSlackModule()
    const look = (user: string, team = TEAM) => slack.people.look({ team, user }, 30_000)

    expect(await look(sandboxCast.gus)).toMatchObject({ guest: true, external: false })
    expect(await look(sandboxCast.sam, "T0ELSEWHERE")).toMatchObject({
      team: "T0ELSEWHERE",
      external: true,
      email: null,
    })
    expect(await look(sandboxCast.bot)).toMatchObject({ bot: true })
    expect(await look(sandboxCast.dan)).toMatchObject({ deactivated: true })
  })

  it("R7: a click that names another workspace makes its person external", async () => {
    const { slack } = await aSlackModule()

    expect(await slack.people.look({ team: "T0ELSEWHERE", user: sandboxCast.alice }, 0)).toMatchObject({
      team: "T0ELSEWHERE",
      external: true,
      email: null,
    })
  })

  it("without the scope for e-mails there is none, and nobody is found by one", async () => {
    const { sandbox, slack } = await aSlackModule()
    sandbox.scopes.delete("users:read.email")

    expect(await slack.people.look(us(sandboxCast.alice), 0)).toMatchObject({ email: null })
    expect(await failure(slack.people.byEmail("alice@sandbox.example", 0))).toMatchObject({
      slackCode: "missing_scope",
    })
    expect(await slack.people.holderOf("alice@sandbox.example", 0)).toEqual({
      person: null,
      trouble: "Slack does not tell whom it means (missing_scope)",
    })
  })

  it("an address of which Slack does not tell for now is a failure, and so is one that a bad token asks for", async () => {
    const { sandbox, slack } = await aSlackModule()

    for (const error of ["internal_error", "token_revoked"]) {
      sandbox.faults.web("users.lookupByEmail", { kind: "error", error })
      expect(await failure(slack.people.holderOf("alice@sandbox.example", 0))).toMatchObject({ slackCode: error })
    }
  })

  it("an e-mail means its person, or nobody", async () => {
    const { slack } = await aSlackModule()

    expect(await slack.people.byEmail("Alice@Sandbox.example", 0)).toEqual(us(sandboxCast.alice))
    expect(await slack.people.byEmail("nobody@sandbox.example", 0)).toBeNull()
  })

  it("a user group's members are persons of ours", async () => {
    const { slack } = await aSlackModule()

    expect(await slack.people.members(sandboxCast.approvers, 0)).toEqual({
      keys: [`${TEAM}:${sandboxCast.alice}`, `${TEAM}:${sandboxCast.bob}`],
      trouble: null,
      name: "approvers",
    })
  })

  it("what Slack does not say is a failure", async () => {
    const { sandbox, slack } = await aSlackModule()
    sandbox.faults.web("users.info", { kind: "status", status: 500 })

    expect(await failure(slack.people.look(us(sandboxCast.alice), 0))).toMatchObject({ retryable: true })
    expect(await failure(slack.people.look(us("U0NOBODY"), 0))).toMatchObject({
      slackCode: "user_not_found",
      retryable: false,
    })
  })
})

describe("a user group", () => {
  const nobody = (trouble: unknown) => ({ keys: [], trouble })

  it("a user group that is gone or switched off stands for nobody", async () => {
    const { sandbox, slack } = await aSlackModule()
    const off = { id: sandboxCast.approvers, handle: "a", name: "A", memberIds: [sandboxCast.alice], disabled: true }
    sandbox.workspace.putGroup(off)

    expect(await slack.people.members("S0NONE", 0)).toEqual(nobody("Slack knows no such group"))
    expect(await slack.people.members(sandboxCast.approvers, 0)).toEqual(nobody("it is switched off in Slack"))
  })

  it.each(["missing_scope", "plan_upgrade_required"])(
    "a user group that Slack does not tell of stands for nobody: %s",
    async (error) => {
      const { sandbox, slack } = await aSlackModule()
      sandbox.faults.web("usergroups.list", { kind: "error", error })

      expect(await slack.people.members(sandboxCast.approvers, 0)).toEqual(nobody(expect.stringContaining(error)))
    },
  )

  it.each([
    ["an outage", { kind: "status", status: 500 }, true],
    ["a refused token", { kind: "error", error: "invalid_auth" }, false],
  ] as const)("a user group of which nothing is known is a failure: %s", async (_, fault, retryable) => {
    const { sandbox, slack } = await aSlackModule()
    sandbox.faults.web("usergroups.list", fault, { times: 2 })

    expect(await failure(slack.people.members(sandboxCast.approvers, 0))).toMatchObject({
      name: "ChatError",
      retryable,
    })
  })

  it("means nobody, to who only looks, until Slack tells; afterwards what it told last", async () => {
    let now = 0
    const { sandbox, slack } = await aSlackModule("socket", { clock: () => now })
    const limited = { kind: "ratelimited", retryAfterS: 1 } as const
    const looked = async () => (await slack.people.patient.members(sandboxCast.approvers, 30_000)).keys.length
    sandbox.faults.web("usergroups.list", limited)

    expect(await looked()).toBe(0)
    expect(await looked()).toBe(2)
    now = 600_000
    sandbox.faults.web("usergroups.list", limited, { times: 2 })
    expect(await looked()).toBe(2)
    expect(await failure(slack.people.members(sandboxCast.approvers, 30_000))).toMatchObject({ code: "rate-limited" })
    now = 600_001
    sandbox.faults.web("usergroups.list", limited)
    expect(await looked()).toBe(0)
  })
})

it("R20 names that nobody waits for leave a part of each minute to votes, whoever an agent says has asked", async () => {
  const { store } = await openStore({ paceMs: 1_000 })
  const { slack } = await aSlackModule("socket", { pace: store.pace })
  const { spare } = slack.people
  const names = Array.from({ length: 60 }, (_, at) => spare.byEmail(`nobody-${at}@sandbox.example`, 600_000))

  const asked = await Promise.all(names.map(failure))
  const voter = await slack.people.byEmail("alice@sandbox.example", 0)

  expect(asked.filter((error) => error === null)).toHaveLength(callsAMinute["users.lookupByEmail"] * 0.6)
  expect(asked.find((error) => error !== null)).toMatchObject({ code: "rate-limited", retryable: true })
  expect(voter).toEqual(us(sandboxCast.alice))
})

describe("replicas", () => {
  /** Two replicas in one workspace, and what they asked of Slack. */
  async function replicas() {
    const clock = { now: 0 }
    const calls: string[] = []
    const kept = new Map<string, { readonly at: number; readonly value: Json }>()
    const answers = aSharedAnswers(kept)
    const counting = async (url: string | URL, init?: object) => {
      calls.push(String(url).split("/").at(-1) ?? "")
      return fetch(url, init)
    }
    const more = { clock: () => clock.now, fetch: counting, answers }
    const { sandbox, slack } = await aSlackModule("socket", more)
    const second = await createSlack(optionsFor(sandbox, "socket", more))
    onTestFinished(() => second.disconnect())
    const count = (method: string) => calls.filter((one) => one === method).length
    return { sandbox, clock, both: [slack.people, second.people] as const, kept, count }
  }

  it("ask once for all groups, and once for an address, as long as the answer is young enough", async () => {
    const { both, clock, count } = await replicas()
    for (const people of both) {
      for (const group of [sandboxCast.approvers, "S0NONE"]) await people.members(group, 30_000)
      expect(await people.byEmail("alice@sandbox.example", 30_000)).toEqual(us(sandboxCast.alice))
      expect(await people.byEmail("nobody@sandbox.example", 30_000)).toBeNull()
    }
    expect([count("usergroups.list"), count("users.lookupByEmail")]).toEqual([1, 2])

    clock.now = 30_001
    for (const people of both) await people.members(sandboxCast.approvers, 30_000)

    expect(count("usergroups.list")).toBe(2)
  })

  it("R5: an answer of another replica is as old as it is, and one from the future is none", async () => {
    const { both, clock, count, kept } = await replicas()
    await both[0].members(sandboxCast.approvers, 30_000)
    clock.now = 20_000
    await both[1].members(sandboxCast.approvers, 30_000)
    clock.now = 30_001
    await both[1].members(sandboxCast.approvers, 30_000)
    expect(count("usergroups.list")).toBe(2)

    for (const [name, answer] of kept) kept.set(name, { ...answer, at: clock.now + 60_000 })
    clock.now = 60_002
    await both[0].members(sandboxCast.approvers, 30_000)

    expect(count("usergroups.list")).toBe(3)
  })

  it("take nothing that they cannot read", async () => {
    const { both, count, kept } = await replicas()
    kept.set("groups", { at: 0, value: { of: "another version" } })

    expect((await both[0].members(sandboxCast.approvers, 30_000)).keys).toHaveLength(2)
    expect(count("usergroups.list")).toBe(1)
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
    const { slack } = await aSlackModule("socket", { clock: () => now, fetch: counting })

    await Promise.all([
      slack.people.look(us(sandboxCast.alice), 30_000),
      slack.people.look(us(sandboxCast.alice), 30_000),
    ])
    now = 30_000
    await slack.people.look(us(sandboxCast.alice), 30_000)
    expect(calls).toBe(1)
    now = 30_001
    await slack.people.look(us(sandboxCast.alice), 30_000)

    expect(calls).toBe(2)
  })

  it("a failure is not remembered", async () => {
    const { sandbox, slack } = await aSlackModule()
    sandbox.faults.web("users.info", { kind: "status", status: 500 })

    await failure(slack.people.look(us(sandboxCast.alice), 30_000))

    expect(await slack.people.look(us(sandboxCast.alice), 30_000)).toMatchObject({ name: "Alice" })
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
  ] as const)("a Slack user is a person of ours, or an external one: %s", (_, user, external) => {
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
    "a Slack user with these fields is a bot: %j",
    (user) => {
      expect(judged(user).bot).toBe(true)
    },
  )

  it.each([{ is_restricted: true }, { is_ultra_restricted: true }])(
    "a Slack user with these fields is a guest: %j",
    (user) => {
      expect(judged(user).guest).toBe(true)
    },
  )

  it("an address that nobody confirmed is none", () => {
    expect(judged({ is_email_confirmed: false }).email).toBeNull()
    expect(judged({ profile: {} }).email).toBeNull()
  })

  it("the name is what people see, else the next best", () => {
    expect(judged({ profile: { display_name: "", real_name: "Una" } }).name).toBe("Una")
    expect(judged({ name: "", profile: {} }).name).toBe("U1")
  })
})
