// countersign policy check, diff and matrix, as a terminal runs them: what they prove of rules, with a call for each.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { command } from "./command.ts"
import { withRules } from "./with-rules.ts"

const root = new URL("../..", import.meta.url).pathname

/** A command in the repository, with the example's rules and no secret. */
function countersign(...args: readonly string[]) {
  return command(args, { env: { COUNTERSIGN_CONFIG: "docs/policy/rules.yaml" }, cwd: root }).ended
}

const open = "routes: [C0APPROVALS], unknown_requester: allow, approvers: [U1, U2]"
const rest = `\n  - { name: rest, ${open} }`

describe("check", () => {
  test("shows for each rule a call that reaches it, and what overlaps and waits for ever", async () => {
    const { code, out } = await countersign("policy", "check", "--offline")
    const { findings } = JSON.parse((await countersign("policy", "check", "--offline", "--json")).out)
    const reached = findings.filter(({ what }: { what: string }) => what === "it is reached")

    const four = "rule large-payouts, rule large-refunds, rule refunds, rule everything-else"
    expect(out).toContain(`ok     ${four}: each is reached\n       e.g. tool send_payout, agent payments-agent`)
    expect(out).toContain("args {}, and other calls (--json)\n")
    expect(out).toContain("note   rule large-refunds: it takes calls that refunds would take as well")
    expect(out).toContain(`note   ${four}: each waits for ever where nobody decides, without expire_after`)
    expect(reached).toHaveLength(4)
    expect(reached[1]).toMatchObject({
      area: "rule large-refunds",
      example: { words: expect.stringMatching("tool refund_") },
    })
    expect(code).toBe(0)
  })

  test("a rule with a limit is reached; strictly checked, the file that we ship has nothing to warn of", async () => {
    const limit = "{ sum: args.amount, window: 24h, above: 500, then: { quorum: 2, approvers: [U1, U2, U3] } }"
    const { run } = withRules(`\n  - { name: pay, match: { tool: pay }, ${open}, limit: ${limit} }${rest}`)

    const own = await run("policy", "check", "--offline", "--strict")
    const shipped = await command(["policy", "check", "--offline", "--strict"], {
      env: { COUNTERSIGN_CONFIG: "countersign.example.yaml" },
      cwd: root,
    }).ended

    expect(own.out).toContain("ok     rule pay, rule rest: each is reached")
    expect(own.out).toContain("0 warnings, 0 errors")
    expect([own.code, shipped.code]).toEqual([0, 0])
  })

  test("warns of a limit by what the agent writes, unless another one adds up all of it", async () => {
    const limit = (more: string) => `limit: { sum: args.amount, ${more}window: 24h, above: 500, then: { quorum: 2 } }`
    const own = (per: string) => `\n  - { name: pay, match: { tool: pay }, ${open}, ${limit(per)} }`
    const beside = "\n  - { name: all, match: { tool: pay }, when: time.hour >= 0, time_zone: UTC, "
    const check = (rules: string) => withRules(rules).run("policy", "check", "--offline")
    const warned =
      "warn   rule pay: its limit is for each args.to, which the agent writes, and no limit adds up all of it"

    const alone = await check(`${own("per: args.to, ")}${rest}`)
    const elsewhere = await check(`${beside}${open} }${own("per: args.to, ")}${rest}`)
    const otherSum = await check(
      `${beside}${open}, ${limit("").replace("amount", "price")} }${own("per: args.to, ")}${rest}`,
    )
    const both = await check(`${beside}${open}, ${limit("")} }${own("per: args.to, ")}${rest}`)
    const platform = await check(`${own("per: call.agent, ")}${rest}`)

    for (const { out } of [alone, elsewhere, otherSum]) expect(out).toContain(warned)
    expect(alone.out).toContain("e.g. tool pay")
    for (const { out } of [both, platform]) expect(out).not.toContain("its limit is for each")
  })

  test("notes a strict rule that rests on how a text is written, and not one that stands last", async () => {
    const check = (rules: string) => withRules(rules).run("policy", "check", "--offline")
    const two = `routes: [C0APPROVALS], unknown_requester: allow, approvers: [U1, U2], quorum: 2`
    const few = "routes: [C0APPROVALS], unknown_requester: allow, approvers: [U1]"
    const rule = (name: string, when: string, who: string) => `\n  - { name: ${name}, when: '${when}', ${who} }`

    const begins = await check(`${rule("etc", 'args.path.startsWith("/etc")', two)}${rest}`)
    const ends = await check(`${rule("out", '!args.to.all(one, one.endsWith("@ours.example"))', two)}${rest}`)
    const fewer = await check(`${rule("etc", 'args.path.contains("/etc")', few)}${rest}`)
    const last = await check(`${rule("own", 'args.to.endsWith("@ours.example")', open)}\n  - { name: rest, ${two} }`)
    const number = await check(`${rule("large", "args.amount > 5", two)}${rest}`)

    expect(begins.out).toContain(
      "note   rule etc: it rests on args.path.startsWith, and asks more than rest, which takes what is written otherwise: " +
        "let a rule without when that is as strict stand last, and a laxer one before it name what is harmless",
    )
    expect(begins.out).toMatch(/name what is harmless\n {7}e\.g\. tool \S+ args \{"path":"/)
    expect(ends.out).toContain("note   rule out: it rests on one.endsWith, and asks more than rest")
    expect(fewer.out).toContain("note   rule etc: it rests on args.path.contains")
    for (const { out } of [last, number]) expect(out).not.toContain("it rests on")
  })

  test("shows calls that no rule takes; policy explain says the same of the call that it prints", async () => {
    const { cwd, run } = withRules(`
  - { name: large, when: args.amount > 500, ${open} }
  - { name: small, when: args.amount <= 500, ${open} }`)

    const { out } = await run("policy", "check", "--offline")
    const { findings } = JSON.parse((await run("policy", "check", "--offline", "--json")).out)
    const gap = findings.find(({ what }: { what: string }) => what === "a call that no rule takes for certain")
    writeFileSync(join(cwd, "gap.json"), JSON.stringify(gap.example.call.approval))
    const explained = await run("policy", "explain", "gap.json", "--offline")

    expect(out).toContain("warn   rules: a call that no rule takes for certain\n       e.g. tool another_tool, args {}")
    expect(explained.out).toContain("nobody may decide this")
  })

  test("names rules whose calls others take together, and one of which nobody can tell", async () => {
    const { run } = withRules(`
  - { name: large, when: args.amount > 500, ${open} }
  - { name: small, when: args.amount <= 500, ${open} }
  - { name: seven, when: args.amount == 7, ${open} }
  - { name: never, when: args.name < "a" && args.name > "b", ${open} }
  - { name: night, when: time.hour > 18, time_zone: UTC, ${open} }${rest}
  - { name: late, when: args.amount > 5, ${open} }`)

    const { code, out } = await run("policy", "check", "--offline")

    expect(out).toContain(
      'warn   rule seven: it is never the first to match, and only asked beside others: small takes such a call\n       e.g. tool another_tool, args {"amount":7}',
    )
    expect(out).toContain("warn   rule never: nobody can tell whether it is ever reached: args.name is compared by the")
    expect(out).toContain("note   rule night: its condition is widened")
    expect(out).toContain("error  rule late: it is never reached: rest stands before it")
    expect(out).toContain("note   rule late: small takes such a call")
    expect(code).toBe(1)
  })

  test("names a rule whose review_by has passed", async () => {
    const { run } = withRules(`\n  - { name: old, ${open}, review_by: 2020-01-31 }`)

    const { out } = await run("policy", "check", "--offline")

    expect(out).toContain("warn   rule old: its review_by has passed: 2020-01-31")
  })
})

describe("diff", () => {
  /** The files of the example and of what becomes of it. */
  async function diff(before: string, now: string, ...args: readonly string[]) {
    const { cwd, run } = withRules(before)
    writeFileSync(join(cwd, "new.yaml"), `rules:${now}\n`)
    return await run("policy", "diff", "countersign.yaml", "new.yaml", ...args)
  }
  const large = (bound: number) => `\n  - { name: large, when: args.amount > ${bound}, quorum: 2, ${open} }${rest}`

  test("the example of the docs is looser for one rule, and may be so", async () => {
    const refused = await countersign("policy", "diff", "docs/policy/rules.yaml", "docs/policy/new-rules.yaml")
    const allowed = await countersign(
      "policy",
      "diff",
      "docs/policy/rules.yaml",
      "docs/policy/new-rules.yaml",
      "--allow",
      "large-refunds",
    )

    expect(refused.code).toBe(1)
    expect(refused.out).toContain("looser   large-refunds: quorum\n         e.g. tool refund_")
    expect(allowed.code).toBe(0)
    expect(allowed.out).toContain("allowed  large-refunds: quorum")
    expect(allowed.out).toContain("no other call changes: every one that counts was tried")
  })

  test("a bound that rises is looser between the two, with what is asked before and now; exit code 1", async () => {
    const { code, out } = await diff(large(500), large(1_000))

    expect(code).toBe(1)
    expect(out).toContain('looser   large: quorum\n         e.g. tool another_tool, args {"amount":501}')
    expect(out).toContain("before: large (2 of U1, U2, in C0APPROVALS)")
    expect(out).toContain("now:    rest (1 of U1, U2, in C0APPROVALS)")
    expect(out).toContain("1 looser, 0 looser and allowed, 0 otherwise")
  })

  test("a bound that falls changes calls and is not looser; exit code 0", async () => {
    const { code, out } = await diff(large(1_000), large(500))

    expect(code).toBe(0)
    expect(out).toContain("change   rest, large: quorum")
  })

  test("programs get every change with its example, and the code that a person gets", async () => {
    const { code, out } = await diff(large(500), large(1_000), "--json")

    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      looser: true,
      untold: [],
      changes: [
        {
          level: "looser",
          aspects: ["quorum"],
          looser: ["large"],
          example: { approval: { tool_args: { amount: 501 } } },
          before: { covered: true, rules: [{ name: "large", quorum: 2, approvers: ["U1", "U2"] }] },
          now: { covered: true, rules: [{ name: "rest", quorum: 1 }] },
        },
      ],
    })
  })

  test("where nobody can tell, that is said, and the code is 1 unless the rule is allowed", async () => {
    const odd = (quorum: number) => `\n  - { name: odd, when: 'args.name < "m"', quorum: ${quorum}, ${open} }${rest}`

    const refused = await diff(odd(1), odd(2))
    const allowed = await diff(odd(1), odd(2), "--allow", "odd")

    expect(refused.code).toBe(1)
    expect(refused.out).toContain(
      "nobody can tell whether more changes: args.name is compared by the order of texts (odd)",
    )
    expect(allowed.code).toBe(0)
  })

  test("other identities may count people otherwise, so nobody can tell", async () => {
    const now = `${rest}\nidentities: [{ subject: jane, slack: ["T0A:U1", "T0A:U2"] }]`

    const { code, out } = await diff(rest, now)

    expect(code).toBe(1)
    expect(out).toContain("identities are others, so people may be counted otherwise (identities)")
    expect((await diff(rest, now, "--allow", "identities")).code).toBe(0)
  })

  test("two files that say the same change nothing", async () => {
    const { code, out } = await diff(large(500), large(500))

    expect(code).toBe(0)
    expect(out).toBe(
      "0 looser, 0 looser and allowed, 0 otherwise\nno other call changes: every one that counts was tried\n" +
        "no key changes that all replicas share\n",
    )
  })

  test("R16 every key that changes is told below the calls, once, as the file has it; what only a process has is not", async () => {
    const instance = (more: string) => `\ninstances: [{ name: main, url: https://a.example.com${more} }]`
    const now = `${large(1_000)}${instance(", resume: approved, poll_every: 5s, receipt_life: 90m")}`

    const { out } = await diff(`${large(500)}${instance("")}`, now, "--allow", "large")

    expect(out.slice(out.indexOf("these keys change"))).toBe(
      [
        "these keys change:",
        "  instances[main].resume: off → approved",
        "  instances[main].receipt_life: 24h → 90m",
        "  rules[large].when: args.amount > 500 → args.amount > 1000",
        "",
      ].join("\n"),
    )
  })

  test("what a rule asks is told by its keys alone where it stays the same rule", async () => {
    const { out } = await diff(large(500), large(500).replace("quorum: 2", "quorum: 3").replaceAll("U2]", "U2, U3]"))

    expect(out).toContain("rules[large].quorum: 2 → 3")
    expect(out).not.toMatch(/before:|now:/)
  })

  test("a long value is cut where it differs, and programs get all of it", async () => {
    const people = Array.from({ length: 40 }, (_, index) => `U0PERSON${index}`)
    const rule = (names: readonly string[]) => `\n  - { name: rest, ${open.replace("U1, U2", names.join(", "))} }`
    const files = [rule(people), rule(people.with(30, "U0OTHER"))] as const

    const { out } = await diff(...files, "--allow", "rest")
    const { keys } = JSON.parse((await diff(...files, "--json")).out)

    expect(out).toMatch(/^ {2}rules\[rest\]\.approvers: ….*U0PERSON30.*… → ….*U0OTHER.*…$/m)
    expect(keys).toEqual([
      {
        path: "rules[rest].approvers",
        before: `[${people.join(", ")}]`,
        after: `[${people.with(30, "U0OTHER").join(", ")}]`,
      },
    ])
  })

  test("a variable that is not set stands for itself, a secret is never asked for, and a word of a choice is", async () => {
    const instance = (url: string, more = "") =>
      `${rest}\ninstances: [{ name: main, url: "${url}", token_file: /not/here, delegated: { algorithm: ES256, key_file: gone, kid: one }${more} }]`
    const own = "\nslack: { bot_token: '${BOT}', api_url: '${SLACK_ADDRESS}' }"

    const same = await diff(`${instance("${AGENTS_URL}")}${own}`, `${instance("${AGENTS_URL}")}${own}`)
    const other = await diff(instance("${AGENTS_URL}"), `${instance("https://${HOST}/api")}${own}`)
    const none = await diff(rest, instance("https://a.example.com"))
    const unset = await diff(instance("${AGENTS_URL}"), instance("${AGENTS_URL}", ', resume: "${RESUME}"'))

    expect(same.out).toContain("no key changes that all replicas share")
    expect(other.out).toContain("  instances[main].url: ${AGENTS_URL} → https://${HOST}/api\n")
    expect(other.out).toContain("  slack.api_url: https://slack.com/api/ → ${SLACK_ADDRESS}/\n")
    expect(none.out).toContain("  instances[default].url: ${PLATFORM_URL} → (not set)\n")
    expect(unset).toMatchObject({ code: 1, err: expect.stringContaining("names ${RESUME}, which is not set") })
  })

  test.each([
    [["countersign.yaml", "nowhere.yaml"], "nowhere.yaml: there is no such file"],
    [["countersign.yaml", "./countersign.yaml"], "countersign.yaml and ./countersign.yaml are the same file"],
    [["countersign.yaml", "torn.yaml"], "torn.yaml:1:"],
    [["countersign.yaml", "wrong.yaml"], "wrong.yaml:1:1 rules is missing"],
    [["countersign.yaml", "."], ".: there is no such file"],
    [["countersign.yaml", "new.yaml", "--allow", "other"], "--allow other: neither file has a rule of that name"],
    [["countersign.yaml"], "missing required argument 'new'"],
  ])("refuses %j with words", async (args, words) => {
    const { cwd, run } = withRules(rest)
    writeFileSync(join(cwd, "new.yaml"), `rules:${large(5)}\n`)
    writeFileSync(join(cwd, "torn.yaml"), "rules: [{")
    writeFileSync(join(cwd, "wrong.yaml"), "{}")

    expect(await run("policy", "diff", ...args)).toMatchObject({ code: 1, err: expect.stringContaining(words) })
  })
})

describe("matrix", () => {
  test("prints the example's rules by people, quorum, expiry and reason", async () => {
    const { code, out } = await countersign("policy", "matrix", "--offline")

    expect(code).toBe(0)
    expect(out).toMatch(/^rule +people +quorum +approved by +expires +reason for +review by +takes$/m)
    expect(out).toMatch(
      /^large-refunds +U0ALICE0000, .* 2 .* never +reject .*tool refund_\*, when args\.amount > 500$/m,
    )
    expect(out).toContain("U0ALICE0000: large-refunds; refunds")
  })

  test("has who approves changes of the rules", async () => {
    const { run } = withRules(`\n  - { name: all, ${open} }\nrules_change: { approvers: [U8, U9], route: C1 }`)

    const { rules, people } = JSON.parse((await run("policy", "matrix", "--offline", "--json")).out)

    expect(rules[0]).toMatchObject({ rule: "rules_change", quorum: 2 })
    expect(people[0]).toEqual({ person: "U8", rules: ["rules_change"] })
  })

  test("says when a rule expires, who is added later, and whose review has passed", async () => {
    const timing = "expire_after: 90m, on_expiry: reject, escalate: [{ after: 1h, to: { approvers: [U3] } }]"
    const { run } = withRules(`\n  - { name: old, ${open}, ${timing}, review_by: 2020-01-31 }`)

    const { out } = await run("policy", "matrix", "--offline")
    const { rules, people } = JSON.parse((await run("policy", "matrix", "--offline", "--json")).out)

    expect(out).toContain("U3 (after an escalation)")
    expect(out).toContain("90m, then reject")
    expect(out).toContain("2020-01-31 (has passed)")
    expect(rules).toMatchObject([
      { rule: "old", takes: "every call", quorum: 1, reviewBy: "2020-01-31", overdue: true },
    ])
    expect(people[0]).toEqual({ person: "U1", rules: ["old"] })
  })

  test("a limit has a line of its own: who is asked besides, above which sum", async () => {
    const limit =
      "{ sum: args.amount, per: args.to, window: 90m, above: 500, then: { quorum: 2, approvers: [U8, U9] } }"
    const { run } = withRules(`\n  - { name: pay, ${open}, limit: ${limit} }`)

    const { out } = await run("policy", "matrix", "--offline")

    const takes = "what pay takes, above 500 of args.amount for each args.to in 90m"
    expect(out).toMatch(new RegExp(`^pay, above its limit +U8, U9 +2 .*never +reject +never +${takes}$`, "m"))
    expect(out).toContain("U9: pay, above its limit")
  })

  test("says that Slack was not asked who is in groups", async () => {
    const { run } = withRules(rest)

    expect((await run("policy", "matrix")).err).toContain("note: Slack was not asked who is in groups")
  })
})
