// countersign policy check, as a terminal runs it: what it proves of rules, with a call for each.
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

    expect(out).toContain("ok     rule large-refunds: it is reached\n       e.g. tool refund_, agent another-agent")
    expect(out).toContain("note   rule large-refunds: it takes calls that refunds would take as well")
    expect(out).toContain("note   rule refunds: it waits for ever where nobody decides, without expire_after")
    expect(code).toBe(0)
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
