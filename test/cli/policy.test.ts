// countersign policy, as a terminal runs it: check, explain and test, offline and with Slack, on the examples of
// docs/policy.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { testPolicy } from "../../src/cli/policy/policy-test.ts"
import { loadConfig } from "../../src/config.ts"
import { random } from "../sandbox/support.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { aFolder } from "../support/opened.ts"
import { command } from "./command.ts"
import { aPatient, sandboxCast } from "./patient.ts"
import { withRules } from "./with-rules.ts"

const root = new URL("../..", import.meta.url).pathname

/** A command in the repository, with the example's rules and no secret. */
function countersign(...args: readonly string[]) {
  return command(args, { env: { COUNTERSIGN_CONFIG: "docs/policy/rules.yaml" }, cwd: root }).ended
}

const open = "routes: [C0APPROVALS], unknown_requester: allow"
const last = `\n  - { name: rest, ${open}, approvers: [U1, U2] }`

describe("check", () => {
  test("finds nothing wrong with the example's rules, without any secret", async () => {
    const { code, out } = await countersign("policy", "check", "--offline")

    expect(out).toContain("0 warnings, 0 errors")
    expect(code).toBe(0)
  })

  test("names a rule that is never reached, and one that nobody can satisfy; exit code 1", async () => {
    const { run } = withRules(`
  - { name: wide, match: { tool: "send_*", instance: default }, ${open}, approvers: [U1, U2] }
  - { name: narrow, match: { tool: "send_m*", agent: a, instance: default }, match_unknown: false, ${open}, approvers: [U1, U2] }
  - { name: few, match: { tool: x }, ${open}, approvers: [a@example.com], quorum: 2 }${last}`)

    const { code, out } = await run("policy", "check", "--offline")

    expect(code).toBe(1)
    expect(out).toContain("error  rule narrow: it is never reached: wide stands before it")
    expect(out).toContain("error  rule few: 2 people must agree, and only 1 can decide")
  })

  test("a rule that is only added, and asks fewer people than the other, deserves a look, as does a last one with when", async () => {
    const { run } = withRules(`
  - { name: guests, when: requester.guest == true, ${open}, approvers: [U1] }
  - { name: large, when: args.amount > 1000, ${open}, approvers: [U1, U2] }`)

    const { code, out } = await run("policy", "check", "--offline")

    expect(code).toBe(0)
    expect(out).toContain("rule guests: it asks fewer people than large, to which it is added")
    expect(out).toContain("put a rule without match and when last, the strictest, unless you want it so")
  })

  test("a rule with a condition takes no other's place, unless that has the same", async () => {
    const { run } = withRules(`
  - { name: large, when: args.amount > 1000, ${open}, approvers: [U1, U2] }
  - { name: again, when: args.amount > 1000, match: { tool: x }, ${open}, approvers: [U1, U2] }
  - { name: small, match: { tool: x }, ${open}, approvers: [U1, U2] }${last}`)

    const { out } = await run("policy", "check", "--offline")

    expect(out).toContain("rule again: it is never the first to match: large stands before it")
    expect(out).not.toContain("rule small: it is never")
  })

  test("a missing fallback and a rule in the shadow of another deserve a look: exit code 1 with --strict only", async () => {
    const { run } = withRules(`
  - { name: wide, match: { tool: "*_money" }, ${open}, approvers: [U1, U2] }
  - { name: narrow, match: { tool: [send_money, wire_money], agent: a }, ${open}, approvers: [U1, U2] }`)

    const lax = await run("policy", "check", "--offline", "--json")
    const strict = await run("policy", "check", "--offline", "--strict")

    expect(lax.code).toBe(0)
    expect(JSON.parse(lax.out)).toMatchObject({ healthy: true, findings: expect.anything() })
    expect(strict.code).toBe(1)
    expect(strict.out).toContain("warn   rules: the last rule does not match everything")
    expect(strict.out).toContain("warn   rule narrow: it is never the first to match: wide stands before it")
  })

  test("R7 counts a human with several Slack ids once, as the list tells and as Slack does", async () => {
    const patient = await aPatient({ platformUrl: "http://127.0.0.1:9" })
    const ids = [sandboxCast.alice, sandboxCast.bob].map((user) => `"T0SANDBOX:${user}"`)
    const rules = `\n  - { name: all, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}, ${ids[0]}, ${ids[1]}], unknown_requester: allow, quorum: 2 }\n  - { name: list, routes: [${sandboxCast.approvals}], approvers: [${ids[0]}, ${ids[1]}], unknown_requester: allow, quorum: 2 }\nidentities: [{ subject: jane, slack: [${ids.join(", ")}] }]`
    const { run } = withRules(rules, { ...patient.env, PLATFORM_URL: "http://127.0.0.1:9" })

    const asked = await run("policy", "check")
    const offline = await run("policy", "check", "--offline")

    expect(asked.out).toMatch(/^error {2}rule all\b.*: 2 people must agree, and only 1 can decide$/m)
    expect(offline.out).toContain("error  rule list: 2 people must agree, and only 1 can decide")
  })

  test("counts the people of groups where Slack is asked, and says when it cannot be", async () => {
    const patient = await aPatient({ platformUrl: "http://127.0.0.1:9" })
    const rules = `\n  - { name: all, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}], unknown_requester: allow, quorum: 3 }`
    const { run } = withRules(rules, { ...patient.env, PLATFORM_URL: "http://127.0.0.1:9" })

    const { code, out } = await run("policy", "check")
    patient.sandbox.faults.web("auth.test", { kind: "status", status: 503 })
    const down = await run("policy", "check")

    expect(code).toBe(1)
    expect(out).toContain(`user group ${sandboxCast.approvers} has 2 of the 3 people that the rule needs`)
    expect(out).toContain("3 people must agree, and only 2 can decide")
    expect(down).toMatchObject({ code: 1, out: expect.stringContaining("error  slack: auth.test: Slack answered 503") })
  })
})

describe("explain", () => {
  test("says which rules a record in a file demands, why, and who", async () => {
    const { code, out } = await countersign("policy", "explain", "docs/policy/refund.json", "--offline")

    expect(code).toBe(0)
    expect(out).toContain("large-payouts: not asked, agent support-agent is not payments-agent")
    expect(out).toContain("refunds: asked, it matches (tool refund_customer)")
    expect(out).toContain("everything-else: not reached")
    expect(out).toContain("rule refunds: 1 must approve of U0ALICE0000, U0BOB000000, U0CAROL0000")
  })

  test("says which condition holds, which does not, and because of which values nobody can tell", async () => {
    const { cwd, run } = withRules(`
  - { name: large, when: args.amount > 1000, ${open}, approvers: [U1, U2] }
  - { name: foreign, when: 'args.currency != "EUR"', ${open}, approvers: [U1, U2] }
  - { name: guests, when: requester.guest == true, ${open}, approvers: [U1, U2] }
  - { name: tool, match: { tool: pay }, when: 'call.tool == "pay"', ${open}, approvers: [U1, U2] }${last}`)
    const record = { id: "1", run_id: "r", session_id: "s", status: "pending", source_type: "agent", tool_name: "pay" }
    writeFileSync(join(cwd, "pay.json"), JSON.stringify({ ...record, tool_args: { amount: 5, currency: "Eur" } }))

    const { out } = await run("policy", "explain", "pay.json", "--offline")

    expect(out).toContain("large: not asked, args.amount > 1000 does not hold")
    expect(out).toContain(
      'foreign: asked, it may match (nobody can tell whether args.currency != "EUR" holds, by args.currency)',
    )
    expect(out).toContain("guests: asked, it may match (nobody can tell whether requester.guest == true holds")
    expect(out).toContain('tool: asked, it matches (tool pay), and call.tool == "pay" holds')
    expect(out).toContain("  when call.tool")
  })

  test("says above which sum a rule asks whom besides, and reads no sum", async () => {
    const limit = "{ sum: args.amount, per: args.to, window: 90m, above: 5000, then: { quorum: 2 } }"
    const { cwd, run } = withRules(`
  - { name: pay, match: { tool: pay }, ${open}, approvers: [U1, U2], limit: ${limit} }${last}`)
    const record = { id: "1", run_id: "r", session_id: "s", status: "pending", source_type: "agent", tool_name: "pay" }
    writeFileSync(join(cwd, "pay.json"), JSON.stringify({ ...record, tool_args: { amount: 9_000, to: "ann" } }))

    const { out } = await run("policy", "explain", "pay.json", "--offline")
    const checked = await run("policy", "check", "--offline")

    expect(out).toContain("  above 5000 of args.amount for each args.to in 90m, besides: 2 must approve of U1, U2")
    expect(out).not.toContain("rule pay, above its limit")
    expect(checked.out).toContain("pay, above its limit")
  })

  test("explains a live approval, with the people who may decide it now", async () => {
    const service = await startDescribed({
      database: ":memory:",
      authorization: false,
      clock: Date.now,
      random: (size) => Buffer.alloc(size, random()),
    })
    onTestFinished(() => service.close())
    const made = await fetch(`${service.url}/approvals`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"tool_name":"send_money","tool_args":{}}',
    })
    const { id } = (await made.json()) as { id: string }
    const patient = await aPatient({ platformUrl: service.url })
    const rules = `\n  - { name: agents, match: { agent: a, tool: "send_*" }, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}, ${sandboxCast.rita}, alice@sandbox.example], unknown_requester: allow }`
    const { run } = withRules(rules, { ...patient.env, PLATFORM_URL: service.url })

    const { out } = await run("policy", "explain", `default/${id}`)
    const json = JSON.parse((await run("policy", "explain", `default/${id}`, "--json")).out)

    expect(out).toContain("agents: asked, it may match (agent is not told)")
    expect(out).toMatch(/these are now: alice \(U0ALICE\), bob \(U0BOB\), rita \(U0RITA\)\n/i)
    expect(out).toContain("nobody may decide this: no rule matches every call for certain")
    expect(json).toMatchObject({
      approval: id,
      covered: false,
      calls: [{ tool: "send_money" }],
      rules: [{ name: "agents" }],
    })
  })

  test.each([
    ["nowhere.json", "is neither a file nor an approval of one of our instances"],
    ["other/1", "is neither a file nor an approval of one of our instances"],
    ["countersign.yaml", "countersign.yaml is no JSON"],
    ["list.json", "list.json is no approval"],
  ])("refuses %s with words", async (where, words) => {
    const { cwd, run } = withRules(last)
    writeFileSync(join(cwd, "list.json"), "[]")

    expect(await run("policy", "explain", where, "--offline")).toMatchObject({
      code: 1,
      err: expect.stringContaining(words),
    })
  })
})

describe("test", () => {
  test("the examples of docs/policy come out as expected", async () => {
    const { code, out } = await countersign("policy", "test", "docs/policy/tests.yaml")

    expect(out).toMatch(/ok {4}who asked for a refund may not approve it\n/)
    expect(out).toContain("9 as expected, 0 not")
    expect(code).toBe(0)
  })

  test("each expectation of the examples can fail: the opposite of every one is found", async () => {
    const folder = aFolder("policy")
    copyFileSync(join(root, "docs/policy/refund.json"), join(folder, "refund.json"))
    const text = readFileSync(join(root, "docs/policy/tests.yaml"), "utf8")
    const bent = text
      .replaceAll("answer: allowed", "answer: guess")
      .replaceAll(/answer: (?!guess)[\w-]+/g, "answer: allowed")
      .replaceAll("answer: guess", "answer: not-approver")
    writeFileSync(join(folder, "bent.yaml"), bent)
    const config = loadConfig({
      env: { COUNTERSIGN_CONFIG: "docs/policy/rules.yaml" },
      readFile: (path) => readFileSync(path, "utf8"),
      cwd: root,
      need: "rules",
    })

    const tested = await testPolicy(config, join(folder, "bent.yaml"))

    expect(tested.filter(({ differences }) => differences.length === 0)).toEqual([])
    expect(tested[0]?.differences[0]).toBe('answer: "allowed", expected "not-approver"')
  })

  test("differences in rules, needs and routes are told, as JSON too; exit code 1", async () => {
    const { cwd, run } = withRules(last)
    const expect1 = "{ answer: allowed, rules: [other], needs: { rest: 2 }, routes: [C1] }"
    writeFileSync(
      join(cwd, "t.yaml"),
      `tests: [{ name: one, approval: { tool_name: x }, person: { id: U1 }, expect: ${expect1} }]`,
    )

    const { code, out } = await run("policy", "test", "t.yaml")
    const json = JSON.parse((await run("policy", "test", "t.yaml", "--json")).out)

    expect(code).toBe(1)
    expect(out).toContain('rules: ["rest"], expected ["other"]')
    expect(out).toContain('needs: [["rest",1]], expected [["rest",2]]')
    expect(out).toContain('routes: ["C0APPROVALS"], expected ["C1"]')
    expect(json).toMatchObject({ passed: false, tests: [{ name: "one", differences: { length: 3 } }] })
  })

  test.each([
    ["tests: []", "tests: must list at least one test"],
    [
      "tests: [{ name: a, approval: {}, person: { id: alice }, expect: { answer: allowed } }]",
      "must be a Slack user id",
    ],
    [
      "tests: [{ name: a, approval: { tool_args: 3 }, person: { id: U1 }, expect: { answer: allowed } }]",
      "is no approval",
    ],
    ["- a\n b: {", "t.yaml"],
  ])("refuses %j with words", async (text, words) => {
    const { cwd, run } = withRules(last)
    writeFileSync(join(cwd, "t.yaml"), text)

    expect(await run("policy", "test", "t.yaml")).toMatchObject({ code: 1, err: expect.stringContaining(words) })
  })
})
