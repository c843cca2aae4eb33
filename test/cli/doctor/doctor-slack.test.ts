// The doctor on Slack: the app in its workspace, and what the rules need of it, each thing spoiled in a sandbox.

import { describe, expect, it } from "vitest"
import { aChannel, aPerson } from "../../../src/sandbox/workspace/seed.ts"
import { type Ailment, aPatient, type Patient, sandboxCast, troubles } from "../patient.ts"

const slack = async (patient: Patient) => troubles(await patient.findings(/^slack$/))
const rulesOf = (patient: Patient) => patient.findings(/^(rule|route) /)

function aRule(more: string): string {
  return `\n  - { name: all, unknown_requester: allow, ${more} }`
}

describe("the app", () => {
  it.each(["socket", "http"] as const)("the app in %s mode is well", async (mode) => {
    const patient = await aPatient({ mode })

    expect(await slack(patient)).toEqual([])
    expect(troubles(await rulesOf(patient))).toEqual([])
  })

  it("is said to have events that cannot be seen, by the manifest's names", async () => {
    const patient = await aPatient()

    const found = await patient.findings(/^slack$/)

    const events = "app_home_opened, app_uninstalled, channel_shared, channel_unshared, tokens_revoked"
    expect(found).toContainEqual({ level: "ok", area: "slack", what: expect.stringContaining(events) })
  })

  it("the app with a refused token fails by the setting's name, and still looks at the other token", async () => {
    const patient = await aPatient({
      env: { SLACK_BOT_TOKEN: "xoxb-wrong-token", SLACK_APP_TOKEN: "xapp-wrong-token" },
    })

    const found = await patient.findings(/^slack$/)

    expect(troubles(found)).toEqual([
      expect.stringMatching(/^fail: Slack did not accept SLACK_BOT_TOKEN .*invalid_auth/),
      expect.stringMatching(/^fail: SLACK_APP_TOKEN .*invalid_auth/),
    ])
    expect(JSON.stringify(found)).not.toContain("wrong-token")
  })

  it("the app that is installed on a whole organization fails by name, with what to do", async () => {
    const patient = await aPatient()
    patient.sandbox.install.orgWide = true

    const found = await patient.findings(/^slack$/)

    expect(troubles(found)).toEqual([expect.stringMatching(/^fail: SLACK_BOT_TOKEN .*whole organization/)])
    expect(found).toContainEqual(expect.objectContaining({ todo: expect.stringContaining("in the one workspace") }))
  })

  it("the app that cannot be reached fails, and says that trying again may help", async () => {
    const patient = await aPatient()
    patient.sandbox.faults.web("auth.test", { kind: "status", status: 503 })
    patient.sandbox.faults.web("apps.connections.open", { kind: "status", status: 503 })

    const found = await patient.findings(/^slack$/)

    const again = { level: "fail", todo: expect.stringContaining("try again") }
    expect(found).toEqual([expect.objectContaining(again), expect.objectContaining(again)])
  })

  it("the app without scopes of the manifest fails for needed ones and warns for optional ones, by name", async () => {
    const patient = await aPatient()
    for (const scope of ["chat:write", "usergroups:read", "groups:history"]) patient.sandbox.scopes.delete(scope)

    expect(await slack(patient)).toEqual([
      "fail: scopes are missing: chat:write, usergroups:read",
      "warn: optional scopes are missing: groups:history",
    ])
  })

  it("the app whose rules list ids only does without the scopes for groups and addresses", async () => {
    const ids = `approvers: [${sandboxCast.alice}, ${sandboxCast.bob}], routes: [${sandboxCast.approvals}]`
    const left = { rules: aRule(ids), more: 'resolved_by: "slack:{user}"' }
    const scopesOf = async (ailment: Ailment) => {
      const patient = await aPatient(ailment)
      for (const scope of ["usergroups:read", "users:read.email"]) patient.sandbox.scopes.delete(scope)
      return patient.findings(/^slack$/)
    }

    const found = await scopesOf(left)
    const byDefault = await scopesOf({ rules: left.rules })
    const escalated = await scopesOf({
      ...left,
      rules: aRule(`${ids}, escalate: [{ after: 1h, to: { approvers: [S0APPROVERS, "ann@sandbox.example"] } }]`),
    })

    expect(troubles(found)).toEqual([])
    expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining("usergroups:read, users:read.email"))
    expect(troubles(byDefault)).toEqual(["fail: scopes are missing: users:read.email"])
    expect(troubles(escalated)).toEqual(["fail: scopes are missing: users:read.email, usergroups:read"])
  })

  it("the app with scopes that nobody needs is warned about", async () => {
    const patient = await aPatient()
    patient.sandbox.scopes.add("admin")

    expect(await slack(patient)).toEqual(["warn: scopes that are not needed: admin"])
  })

  it.each([
    [30_000, /^warn: our clock is (29|30) s ahead of Slack's/],
    [-400_000, /^fail: our clock is (399|400|401) s behind Slack's/],
  ])("the app whose clock is %i ms away is told so", async (awayMs, words) => {
    const patient = await aPatient({ clock: () => Date.now() + awayMs })

    expect(await slack(patient)).toEqual([expect.stringMatching(words)])
  })
})

describe("a route", () => {
  it.each([
    ["does not exist", {}, "fail: there is no such channel"],
    [
      "is private without the bot",
      { kind: "private", memberIds: [sandboxCast.alice] },
      "fail: there is no such channel",
    ],
    ["is one the bot is not in", { memberIds: [sandboxCast.alice] }, "fail: the bot is not in #odd"],
    ["is archived", { archived: true }, "fail: #odd is archived"],
    ["is shared with another company", { external: true }, "fail: #odd is shared with another company"],
  ] as const)("a route whose channel %s fails", async (what, more, trouble) => {
    const patient = await aPatient({
      rules: aRule(`routes: [C0ODD], approvers: [${sandboxCast.alice}, ${sandboxCast.bob}]`),
    })
    const common = {
      id: "C0ODD",
      name: "odd",
      kind: "public",
      memberIds: [sandboxCast.bot],
      archived: false,
      external: false,
    } as const
    if (what !== "does not exist") patient.sandbox.workspace.putChannel({ ...common, ...more })

    const found = troubles(await patient.findings(/^route C0ODD$/))

    expect(found).toEqual([expect.stringContaining(trouble)])
  })

  it.each([
    [
      "a rule that allows it is well, and its readers are named",
      { rules: aRule(`routes: [C0ODD], approvers: [${sandboxCast.alice}], allow_shared_channel: true`) },
      "ok: the bot is in #odd, whose people of another company read all that is asked there, as allowed",
    ],
    [
      "the ledger's checkpoints, which hold no call, is warned of",
      { more: "ledger: { audit_channel: C0ODD }" },
      "warn: #odd is shared with another company, or it was invited",
    ],
  ] as const)("a route whose channel is shared is judged by what it belongs to: %s", async (_what, ailment, said) => {
    const patient = await aPatient(ailment)
    patient.sandbox.workspace.putChannel({ ...aChannel("C0ODD", "odd", [sandboxCast.bot]), external: true })

    const found = await patient.findings(/^route C0ODD$/)

    expect(found.map(({ level, what }) => `${level}: ${what}`)).toEqual([said])
  })

  it.each([
    [sandboxCast.dan, "is deactivated"],
    ["U0NOBODY", "does not exist in Slack"],
  ])("a route to %s fails: the person %s", async (person, trouble) => {
    const patient = await aPatient({
      rules: aRule(`routes: [${person}], approvers: [${sandboxCast.alice}, ${sandboxCast.bob}]`),
    })

    expect(troubles(await patient.findings(/^route/))).toEqual([`fail: the person ${trouble}`])
  })

  it("a route to a person, and to a channel of two rules, is looked at once and is well", async () => {
    const approvers = `approvers: [${sandboxCast.alice}, ${sandboxCast.bob}]`
    const rules = `
  - { name: a, match: { tool: x }, unknown_requester: allow, routes: [${sandboxCast.approvals},
      ${sandboxCast.rita}], ${approvers} }
  - { name: b, unknown_requester: allow, routes: [${sandboxCast.approvals}], ${approvers} }`
    const patient = await aPatient({ rules })

    const found = await patient.findings(/^route/)

    expect(found.map(({ level, area }) => `${level} ${area}`)).toEqual(["ok route C0APPROVALS", "ok route U0RITA"])
  })

  it("a route that Slack does not tell of fails with Slack's word", async () => {
    const patient = await aPatient()
    patient.sandbox.faults.web("conversations.info", { kind: "error", error: "internal_error" })

    expect(troubles(await patient.findings(/^route/))).toEqual([expect.stringContaining("internal_error")])
  })
})

describe("an approver", () => {
  const approversOf = async (approvers: string, more = "") => {
    const patient = await aPatient({
      rules: aRule(`routes: [${sandboxCast.approvals}], approvers: [${approvers}], ${more}`),
    })
    patient.sandbox.workspace.putPerson(aPerson("U0ROBOT", "robot", { isBot: true }))
    return patient
  }
  const found = async (approvers: string, more = "") =>
    troubles(await (await approversOf(approvers, more)).findings(/^rule all/))

  it.each([
    ["U0NOBODY", "does not exist in Slack"],
    ["U0ROBOT", "is a bot"],
    [sandboxCast.dan, "is deactivated"],
    [sandboxCast.gus, "is a guest, and the rule has no allow_guests"],
    [`T0ELSEWHERE:${sandboxCast.sam}`, "is of another workspace, and the rule has no allow_external"],
    ["nobody@sandbox.example", "belongs to nobody active in this workspace"],
    ["dan@sandbox.example", "belongs to nobody active in this workspace"],
  ])("an approver such as %s fails: it %s", async (approver, trouble) => {
    expect(await found(`"${approver}", ${sandboxCast.alice}`)).toEqual([expect.stringContaining(trouble)])
  })

  it("an approver that the rule admits is well: a guest, and somebody of another workspace", async () => {
    const approvers = `${sandboxCast.gus}, "T0ELSEWHERE:${sandboxCast.sam}", alice@sandbox.example`

    expect(await found(approvers, "allow_guests: true, allow_external: true")).toEqual([])
  })

  it("a group of approvers fails if it does not exist or is empty; one that is too small is a warning", async () => {
    const patient = await approversOf(`S0NONE, S0EMPTY, S0SMALL, ${sandboxCast.alice}, ${sandboxCast.bob}`, "quorum: 2")
    const group = { handle: "g", name: "G", disabled: false }
    patient.sandbox.workspace.putGroup({ ...group, id: "S0EMPTY", memberIds: [] })
    patient.sandbox.workspace.putGroup({ ...group, id: "S0SMALL", memberIds: [sandboxCast.rita] })

    expect(troubles(await patient.findings(/^rule all/))).toEqual([
      "fail: user group S0NONE stands for nobody: Slack knows no such group",
      "fail: user group S0EMPTY is empty",
      "warn: user group S0SMALL has 1 of the 2 people that the rule needs",
    ])
  })

  it("a group in which nobody may decide fails, with each reason; whoever may not is not counted", async () => {
    const patient = await approversOf("S0DUTY, S0MIXED", "quorum: 2")
    const group = { handle: "g", name: "G", disabled: false }
    const { alice, dan, gus } = sandboxCast
    patient.sandbox.workspace.putGroup({ ...group, id: "S0DUTY", memberIds: ["U0ROBOT", dan, gus, "U0NOBODY"] })
    patient.sandbox.workspace.putGroup({ ...group, id: "S0MIXED", memberIds: ["U0ROBOT", alice, gus] })

    const found = await patient.findings(/^rule all/)

    expect(found).toMatchObject([
      {
        level: "fail",
        what:
          `nobody in user group S0DUTY may decide: U0ROBOT is a bot; ${dan} is deactivated; ` +
          `${gus} is a guest, and the rule has no allow_guests; and 1 more`,
        todo: expect.stringContaining("docs/how-to/on-call.md"),
      },
      { level: "warn", what: "user group S0MIXED has 1 of the 2 people that the rule needs" },
    ])
  })

  it("of a large group only as many are looked at as the rule needs and one more, since each costs a call", async () => {
    const patient = await approversOf("S0LARGE", "quorum: 2")
    const known = [sandboxCast.alice, sandboxCast.bob, sandboxCast.rita]
    const memberIds = [...known, ...Array.from({ length: 27 }, (_, index) => `U0NOBODY${index}`)]
    patient.sandbox.workspace.putGroup({ id: "S0LARGE", handle: "g", name: "G", disabled: false, memberIds })

    expect(await patient.findings(/^rule all/)).toMatchObject([
      { level: "ok", what: "30 people can decide, 2 must agree" },
    ])
  })

  it("a group of guests is well where the rule lets guests decide, and one that is switched off never is", async () => {
    const patient = await approversOf("S0GUESTS, S0OFF", "allow_guests: true, forbid_self_approval: false")
    const group = { handle: "g", name: "G", memberIds: [sandboxCast.gus] }
    patient.sandbox.workspace.putGroup({ ...group, id: "S0GUESTS", disabled: false })
    patient.sandbox.workspace.putGroup({ ...group, id: "S0OFF", disabled: true })

    expect(troubles(await patient.findings(/^rule all/))).toEqual([
      "fail: user group S0OFF stands for nobody: it is switched off in Slack",
    ])
  })

  it("an empty group is found where only a limit or an escalation names it", async () => {
    const limit = "limit: { sum: args.amount, window: 24h, above: 5, then: { approvers: [S0EMPTY] } }"
    const escalation = `escalate: [{ after: 1h, to: { approvers: [S0EMPTY] } }]`
    const patient = await approversOf(`${sandboxCast.alice}, ${sandboxCast.bob}`, `${limit}, ${escalation}`)
    patient.sandbox.workspace.putGroup({ handle: "g", name: "G", disabled: false, id: "S0EMPTY", memberIds: [] })

    const found = await patient.findings(/^rule all/)

    const empty = found.filter(({ what }) => what === "user group S0EMPTY is empty").map(({ area }) => area)
    expect(empty).toEqual(["rule all", "rule all, above its limit"])
  })

  it("whoever stands in, breaks the glass or looks at that must exist too, and does not count for the quorum", async () => {
    const glass = `break_glass: { approvers: [U0BREAKER], reviewers: [U0REVIEWER], route: ${sandboxCast.approvals} }`
    const patient = await approversOf(sandboxCast.alice, `stand_ins: [U0STANDIN], ${glass}`)

    expect(troubles(await patient.findings(/^rule all/))).toEqual(
      ["U0STANDIN", "U0BREAKER", "U0REVIEWER"].map((id) => expect.stringContaining(`${id} does not exist in Slack`)),
    )

    const standIns = await approversOf(
      sandboxCast.alice,
      `forbid_self_approval: false, stand_ins: [${sandboxCast.bob}]`,
    )
    expect(await standIns.findings(/^rule all/)).toMatchObject([
      { level: "ok", what: "1 people can decide, 1 must agree" },
    ])
  })

  it("whom only the escalation names must exist too, and does not count for the quorum", async () => {
    const other = `{ approvers: [U0NOBODY, ${sandboxCast.bob}], routes: [C0NONE] }`
    const more = `quorum: 2, escalate: [{ after: 1h, to: ${other} }]`
    const patient = await approversOf("alice@sandbox.example", more)

    expect(troubles(await patient.findings(/^rule all/))).toEqual([
      expect.stringContaining("U0NOBODY does not exist in Slack"),
    ])
    expect(troubles(await patient.findings(/^route C0NONE/))).toEqual([expect.stringContaining("no such channel")])
    const fewer = await approversOf("alice@sandbox.example", more.replace("U0NOBODY, ", ""))
    expect(troubles(await fewer.findings(/^rule all/))).toEqual(["fail: 2 people must agree, and only 1 can decide"])
  })

  it("too few for the quorum fail, counted once however often they are listed", async () => {
    const trouble = "fail: 3 people must agree, and only 2 can decide"

    expect(await found(`${sandboxCast.approvers}, ${sandboxCast.alice}, bob@sandbox.example`, "quorum: 3")).toEqual([
      expect.stringContaining("S0APPROVERS has 2 of the 3"),
      trouble,
    ])
  })

  it("just enough for the quorum are warned about, since whoever asked may not approve", async () => {
    expect(await found(sandboxCast.alice)).toEqual([expect.stringContaining("just enough")])
    expect(await found(sandboxCast.alice, "forbid_self_approval: false")).toEqual([])
  })

  it("an approver that is alone where an unknown requester needs two is warned about", async () => {
    const patient = await aPatient({
      rules: `
  - { name: all, unknown_requester: two, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.alice}] }`,
    })

    expect(await patient.findings(/^rule all/)).toMatchObject([
      { level: "ok" },
      {
        level: "warn",
        what: "the approvers are just enough, and whoever asked may not approve",
        todo: "add an approver",
      },
      {
        level: "warn",
        what: "unknown_requester: two wants two people, and only one can decide",
        why: "nobody can ever approve a call of which nobody knows who asked",
        todo: "add an approver, or set unknown_requester: allow, so that this one may approve it alone",
      },
    ])
  })

  it("an approver that Slack does not tell of fails with Slack's word, and nothing is said of the quorum", async () => {
    const patient = await approversOf(sandboxCast.approvers, "quorum: 2")
    patient.sandbox.scopes.delete("usergroups:read")

    expect(troubles(await patient.findings(/^rule all/))).toEqual([expect.stringContaining("missing_scope")])
  })
})
