// countersign policy test: compares the rules' answers to examples with the expected ones. For CI; asks nobody.
import { dirname, join } from "node:path"
import { z } from "zod"
import type { Config } from "../../config.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { isJsonObject, type Json, parseJson } from "../../domain/content/json.ts"
import { cleanName, type Person, personKey } from "../../domain/people/person.ts"
import { listedAs, matchRequester, type RequesterMatch } from "../../domain/people/requester.ts"
import { type Judgement, judge, quorumOf } from "../../domain/policy/judge.ts"
import { noneIsPassed } from "../../domain/policy/limit-reading.ts"
import { demandOf } from "../../domain/policy/policy.ts"
import type { Approver, Rule } from "../../domain/rule/rule.ts"
import { readYaml } from "../options.ts"
import { CommandError } from "../terminal.ts"
import { approvalIn, findApproval } from "./policy-approval.ts"

const list = z.array(z.string())
const example = z.strictObject({
  name: z.string(),
  /** A record, or the path of a record from the file's folder. */
  approval: z.union([z.string(), z.custom<Json>(isJsonObject, "must be a record or the path of one")]),
  person: z.strictObject({
    id: z.string().regex(/^(?:[TE][A-Z0-9]+:)?[UW][A-Z0-9]+$/, "must be a Slack user id (U…, or T…:U…)"),
    email: z.string().optional(),
    groups: list.optional(),
    guest: z.boolean().optional(),
    external: z.boolean().optional(),
  }),
  wants: z.enum(["approve", "reject"]).default("approve"),
  /** Who asked, as seen from the person. Needed if the record's claim alone does not tell. */
  requester: z.enum(["same", "other", "unknown"]).optional(),
  expect: z.strictObject({
    /** `allowed`, or why not, by the codes of `Refusal`. */
    answer: z.enum(["allowed", "not-covered", "not-approver", "guest", "external", "requester", "unknown-requester"]),
    /** The rules under which the vote counts. */
    rules: list.optional(),
    /** How many have to agree, by rule. It has to name every demanded rule. */
    needs: z.record(z.string(), z.number()).optional(),
    routes: list.optional(),
  }),
})
const examples = z.strictObject({ tests: z.array(example).min(1, "must list at least one test") })
type Example = z.infer<typeof example>

/** How one example came out. If it came out as expected, there is no difference. */
export interface Tested {
  readonly name: string
  readonly differences: readonly string[]
}

/** Runs the examples of a file. Throws `CommandError` if the file cannot be used. */
export async function testPolicy(config: Config, file: string): Promise<readonly Tested[]> {
  const read = examples.safeParse(readYaml(file))
  if (!read.success) {
    const why = read.error.issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`).join("; ")
    throw new CommandError(`${file}: ${why}`)
  }
  return await Promise.all(
    read.data.tests.map(async (one) => {
      const approval = await approvalOf(config, file, one)
      return { name: one.name, differences: differencesOf(config, approval, one) }
    }),
  )
}

async function approvalOf(config: Config, file: string, { approval, name }: Example): Promise<Approval> {
  if (typeof approval === "string") return findApproval(config, join(dirname(file), approval))
  return approvalIn(config, parseJson(JSON.stringify(approval)), `${file}: ${name}`)
}

function differencesOf({ rules, identities }: Config, approval: Approval, one: Example): readonly string[] {
  const { expect, wants } = one
  const demand = demandOf(approval, rules, { limits: noneIsPassed(rules) })
  const person = personOf(one)
  const requester = one.requester ?? requesterOf(approval, person, identities)
  const byRule = new Map(demand.rules.map((rule) => [rule.name, approversOf(rule, person, one.person.groups ?? [])]))
  const judged = judge({ person, verb: wants, demand, approvers: { byRule, conflicts: new Map() }, requester })
  const needs = Object.fromEntries(demand.rules.map((rule) => [rule.name, quorumOf(rule, requester)]))
  const routes = [...new Set(demand.rules.flatMap((rule) => rule.routes.map(({ id }) => id)))]
  return [
    ...differs("answer", answerOf(judged), expect.answer),
    ...differs("rules", judged.ok ? judged.rules : [], expect.rules),
    ...differs("needs", sorted(needs), expect.needs === undefined ? undefined : sorted(expect.needs)),
    ...differs("routes", routes.toSorted(), expect.routes?.toSorted()),
  ]
}

function differs(what: string, have: unknown, want: unknown): readonly string[] {
  const [is, expected] = [JSON.stringify(have), JSON.stringify(want)]
  return want === undefined || is === expected ? [] : [`${what}: ${is}, expected ${expected}`]
}

function sorted(needs: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(needs).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function answerOf(judged: Judgement): string {
  return judged.ok ? "allowed" : judged.refusal.code
}

/** Our own workspace, if an example names none. */
const ourTeam = "T0000000"

function personOf({ person: { id, email, guest = false, external = false } }: Example): Person {
  const [user = id, team = ourTeam] = id.split(":").toReversed()
  const mail = email ?? null
  return { team, user, name: user, email: mail, bot: false, deactivated: false, guest, external, readAt: 0 }
}

/** The person, if the rule lists them, and always somebody else: only Slack knows that a group is empty. */
function approversOf({ approvers }: Rule, person: Person, groups: readonly string[]): ReadonlySet<string> {
  const listed = approvers.some((approver) => isListed(approver, person, groups))
  return new Set(listed ? [personKey(person), "somebody else"] : ["somebody else"])
}

function isListed(approver: Approver, { team, user, email }: Person, groups: readonly string[]): boolean {
  switch (approver.kind) {
    case "user":
      return approver.id === user && (approver.team ?? ourTeam) === team
    case "email":
      return email?.toLowerCase() === approver.email.toLowerCase()
    case "group":
      return groups.includes(approver.id)
  }
}

/** Finds the requester. A claim that looks like a person counts as one: only Slack knows if there is such a person. */
function requesterOf({ userId }: Approval, voter: Person, identities: Config["identities"]): RequesterMatch {
  const claim = cleanName(userId ?? "")
  const person = claim.includes("@") || /^(?:slack:)?(?:[TE]\w+:)?[UW][A-Z0-9]+$/.test(claim)
  const known = listedAs(claim, identities) ?? (person ? { team: "", user: "" } : null)
  return matchRequester({ userId, voter, identities, known })
}
