// countersign policy simulate, as a terminal runs it: on cases in a real Redis, with the sandbox as Slack.
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Case } from "../../src/domain/case/case.ts"
import { openCase } from "../../src/domain/case/steps.ts"
import { type Policy, policyOf } from "../../src/domain/policy/policy.ts"
import { aPast, type Course, dayMs } from "../domain/simulation/past.ts"
import { type OpenStore, openStore } from "../store/support.ts"
import { anApproval, aRule } from "../support/builders.ts"
import { aFolder } from "../support/opened.ts"
import { redisByAddress } from "../support/redis.ts"
import { aSharedConfig } from "../support/shared-config.ts"
import { command } from "./command.ts"
import { aPatient, type Patient, sandboxCast } from "./patient.ts"

const { alice, bob, approvers, approvals } = sandboxCast
const home = "T0SANDBOX"

const all = aRule({ approvers: [{ kind: "group", id: approvers }], mask: ["secret"] })
const inForce = policyOf([all], [])

const base = `routes: [${approvals}], unknown_requester: allow`
const stricter = `rules:
  - { name: large, when: args.amount > 1000, quorum: 2, approvers: [${approvers}], ${base} }
  - { name: all, approvers: [${alice}], ${base} }
`

/** An installation with a Redis, a workspace and a folder of its own. */
interface Here {
  readonly patient: Patient
  readonly open: OpenStore
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Gives the command. */
  run(...words: readonly string[]): ReturnType<typeof command>["ended"]
}

async function here(policy: Policy | null = inForce): Promise<Here> {
  const patient = await aPatient()
  const url = await redisByAddress()
  const key = patient.env["COUNTERSIGN_KEY"] ?? ""
  const open = await openStore({ url, installation: "ours", key: Buffer.from(key), revision: null })
  const activate = (rules: Policy["rules"]) =>
    open.store.config.activate({
      shared: aSharedConfig("rev-1", { rules }),
      activate: false,
      at: Date.now() - 60 * dayMs,
    })
  if (policy !== null) await activate(policy.rules)
  const folder = aFolder("simulate")
  writeFileSync(join(folder, "countersign.yaml"), "installation: ours\n")
  writeFileSync(join(folder, "new.yaml"), stricter)
  const env = { ...patient.env, REDIS_URL: url }
  return { patient, open, folder, env, run: (...words) => command(words, { env, cwd: folder }).ended }
}

/** Commits a case of the past, as a bot would have left it. */
async function kept(
  { open }: Here,
  course: Partial<Course> & { readonly amount?: number; readonly id: string },
): Promise<Case> {
  const { id, amount = 5, ...more } = course
  const approval = anApproval({ id, toolName: "pay", toolArgs: { amount, secret: "s" } })
  const whole = { approval, policy: inForce, at: Date.now() - dayMs, installation: "ours", home, ...more }
  const { events } = openCase({ ...whole, epoch: "epoch-1" })
  const done = await open.store.cases.commit({ next: aPast(whole), expectedVersion: 0, events })
  if (done.kind !== "committed") throw new Error(`the case was not committed: ${done.kind}`)
  return done.case
}

const byAlice = { presses: [{ user: alice, ms: 60_000 }] }

test("says who would be asked, by how much more, how long they would wait, and which decisions need others", async () => {
  const place = await here()
  const small = await kept(place, { id: "small", ...byAlice })
  const big = await kept(place, { id: "big", amount: 5_000, ...byAlice })
  await kept(place, { id: "open", presses: [] })

  const { code, out, err } = await place.run("policy", "simulate", "new.yaml", "--since", "30d")

  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toContain("new.yaml on 3 cases of ours")
  expect(out).toContain("replayed exactly: 3")
  expect(out).toMatch(/^Alice \(U0ALICE\) +3 +3 +0$/m)
  expect(out).toMatch(/^Bob \(U0BOB\) +3 +1 +-2$/m)
  expect(out).toMatch(/^all together +6 +4 +-2$/m)
  expect(out).toMatch(/^large +0 +1 +\+1$/m)
  expect(out).toContain("waits, from 3 cases: half were decided within 1 min")
  expect(out).toContain("decisions: 1 stand, 1 would have needed others, of 0 nobody can tell")
  expect(out).toContain("check: the rules in force ask whom 1 of 1 cases asked")
  expect(out).toContain("not compared: 2 have masked fields")
  expect(out).not.toContain(small.id)
  expect(out).toContain(`case ${big.id}, pay, approved by Alice on`)
  expect(out).toContain("large has 1 of 2")
})

test("gives the same to programs, and for one seed the same each time", async () => {
  const place = await here()
  for (const id of ["a", "b", "c"]) await kept(place, { id, amount: 5_000, ...byAlice })
  await kept(place, { id: "d", amount: 5, presses: [{ user: bob, ms: 600_000, verb: "reject" }] })

  const runs = [
    await place.run("policy", "simulate", "new.yaml", "--json"),
    await place.run("policy", "simulate", "new.yaml", "--json"),
  ]

  const [first, second] = runs.map(({ out }) => ({ ...JSON.parse(out), until: 0 }))
  expect(first).toEqual(second)
  expect(first).toMatchObject({
    installation: "ours",
    file: "new.yaml",
    seed: 1,
    cases: 4,
    exact: 4,
    inexact: { masked: 0, notKept: 0, time: 0, askedUnknown: 0, unreadable: 0 },
    asked: {
      prompts: { before: 8, after: 7, atMost: 7 },
      people: [
        { person: `${home}:${alice}`, name: "Alice", before: 4, after: 4, atMost: 4, more: 0 },
        { person: `${home}:${bob}`, name: "Bob", before: 4, after: 3, atMost: 3, more: -1 },
      ],
    },
    decisions: { stand: 0, needOthers: 4, cannotTell: 0 },
  })
})

/** All that a Redis holds, by key. */
async function dumpOf({ open }: Here): Promise<Record<string, string>> {
  const { commands } = open.connection
  const keys = await commands.keys("*")
  const dumps = await Promise.all(
    keys.toSorted().map(async (key) => [key, (await commands.dumpBuffer(key)).toString("hex")]),
  )
  return Object.fromEntries(dumps)
}

test("writes nothing: not to Redis, not to Slack, not to the folder", async () => {
  // An address that nobody met so far is pinned by a vote, never by this.
  const policy = policyOf([all], [])
  const place = await here(policy)
  await kept(place, { id: "one", amount: 5_000, ...byAlice })
  writeFileSync(
    join(place.folder, "new.yaml"),
    `rules: [{ name: new, approvers: [bob@sandbox.example], when: requester.known == true, ${base} }, { name: all, approvers: [${alice}], ${base} }]\n`,
  )
  const before = { redis: await dumpOf(place), files: readdirSync(place.folder).toSorted() }

  const { code, out } = await place.run("policy", "simulate", "new.yaml")

  expect(code).toBe(0)
  expect(out).toMatch(/^Bob \(U0BOB\)/m)
  expect({ redis: await dumpOf(place), files: readdirSync(place.folder).toSorted() }).toEqual(before)
  for (const channel of [approvals, sandboxCast.general]) expect(place.patient.sandbox.messages(channel)).toEqual([])
  for (const method of ["chat.postMessage", "chat.update", "views.publish", "conversations.open"])
    expect(place.patient.sandbox.busiestMinute(method)).toBe(0)
})

test("replays the sums of limits, over cases from before as well", async () => {
  const place = await here()
  const limit = `{ sum: args.amount, window: 7d, above: 100, then: { quorum: 1, approvers: [${bob}] } }`
  writeFileSync(
    join(place.folder, "new.yaml"),
    `rules: [{ name: all, approvers: [${alice}], limit: ${limit}, ${base} }]\n`,
  )
  await kept(place, { id: "before", amount: 90, at: Date.now() - 3 * dayMs, ...byAlice })
  await kept(place, { id: "within", amount: 20, ...byAlice })

  const { out } = await place.run("policy", "simulate", "new.yaml", "--since", "2d")

  expect(out).toContain("new.yaml on 1 cases of ours")
  expect(out).toContain("replayed exactly: 1")
  expect(out).toMatch(/^all, above its limit +0 +1 +\+1$/m)
  expect(out).toMatch(/^Bob \(U0BOB\) +1 +1 +0$/m)
})

test("of a rule that no config of today has, the ledger still tells whom it asked", async () => {
  const place = await here()
  const gone = policyOf(
    [
      aRule({
        name: "gone",
        approvers: [
          { kind: "user", id: bob },
          { kind: "email", email: "alice@sandbox.example" },
        ],
      }),
    ],
    [],
  )
  await kept(place, { id: "old", policy: gone, presses: [{ user: bob, ms: 1_000 }] })

  const { out } = await place.run("policy", "simulate", "new.yaml")

  expect(out).toMatch(/^Bob \(U0BOB\) +1 +0 +-1$/m)
  expect(out).toMatch(/^gone +1 +0 +-1$/m)
  expect(out).toContain("not compared: 1 were judged under other rules")
})

test("what was known of the requester is taken from the case, if the rules in force look at the same; else it is asked", async () => {
  const guests = aRule({ name: "guests", when: "requester.guest == true" })
  const policy = policyOf([guests, all], [])
  const place = await here(policy)
  const requester = { known: true, guest: false, groups: [] }
  await kept(place, { id: "one", policy, circumstances: { requester, at: null }, ...byAlice })
  const tried = (condition: string) =>
    writeFileSync(
      join(place.folder, "new.yaml"),
      `rules: [{ name: guests, when: '${condition}', approvers: [${bob}], ${base} }, { name: all, approvers: [${alice}], ${base} }]\n`,
    )

  tried("requester.guest == true")
  const same = await place.run("policy", "simulate", "new.yaml")
  // Slack knows nobody behind the claim, so nobody can tell now.
  tried(`requester.guest == true || "${approvers}" in requester.groups`)
  const other = await place.run("policy", "simulate", "new.yaml")

  expect(same.out).not.toMatch(/^guests/m)
  expect(other.out).toMatch(/^guests +0 +0 to 1 +0 to \+1$/m)
})

test("what is gone, and a record that somebody changed, is counted by its cause", async () => {
  const place = await here()
  await kept(place, { id: "gone", keptMs: 0, ...byAlice })
  const changed = await kept(place, { id: "changed", ...byAlice })
  await place.open.connection.commands.hset(place.open.store.keys.case(changed.id), "sealed", "nonsense")

  const { out } = await place.run("policy", "simulate", "new.yaml")

  expect(out).toContain("replayed exactly: 0")
  expect(out).toContain("not exactly: 1 where it looks at what is not kept any more")
  expect(out).toContain("not exactly: 1 that cannot be read (left out below)")
  expect(out).toMatch(/^Bob \(U0BOB\) +1 +0 to 1 +-1 to 0$/m)
  expect(out).toContain("not compared: 1 are not kept whole, 1 cannot be read")
})

test("if Slack limits how often it is asked, it is asked again", async () => {
  const place = await here()
  await kept(place, { id: "one", ...byAlice })
  place.patient.sandbox.faults.web("users.info", { kind: "ratelimited", retryAfterS: 1 })

  const { code, out } = await place.run("policy", "simulate", "new.yaml")

  expect(code).toBe(0)
  expect(out).toContain("Alice (U0ALICE)")
})

test("says how far it is while it takes long", async () => {
  const place = await here()
  await kept(place, { id: "one", ...byAlice })
  writeFileSync(join(place.folder, "new.yaml"), stricter.replaceAll("quorum: 2", "forbid_self_approval: true"))
  place.patient.sandbox.faults.web("users.lookupByEmail", { kind: "slow", ms: 2_100 })

  const { code, err } = await place.run("policy", "simulate", "new.yaml")

  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^cases replayed: 1, back to 20\d\d-\d\d-\d\d$/m),
  })
})

test("a group that stands for nobody is named", async () => {
  const place = await here()
  await kept(place, { id: "one", ...byAlice })
  writeFileSync(join(place.folder, "new.yaml"), stricter.replace(approvers, "S0NOWHERE"))

  const { err } = await place.run("policy", "simulate", "new.yaml")

  expect(err).toContain("note: user group S0NOWHERE stands for nobody: Slack knows no such group")
})

describe("says what is wrong, and what would be right:", () => {
  const refused = async (place: Here, words: readonly string[], says: string) => {
    const { code, out, err } = await place.run("policy", "simulate", ...words)
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toContain(says)
  }

  test("a file that is not there, or whose rules are wrong", async () => {
    const place = await here()
    writeFileSync(join(place.folder, "bad.yaml"), stricter.replace("quorum: 2", "quorum: two"))

    await refused(place, ["nowhere.yaml"], "nowhere.yaml: there is no such file")
    await refused(place, ["bad.yaml"], "bad.yaml:2:54 rules[0].quorum")
  })

  test("no case that is kept", async () => {
    const place = await here()
    await refused(place, ["new.yaml", "--since", "2d"], "no case has been kept since 20")

    await kept(place, { id: "old", at: Date.now() - 5 * dayMs })
    await refused(place, ["new.yaml", "--since", "2d"], "--since reaches further back")
  })

  test("a time that is none, or of which nothing is kept", async () => {
    const place = await here()
    writeFileSync(join(place.folder, "countersign.yaml"), "installation: ours\nretention: 10d\n")
    await kept(place, { id: "one" })

    await refused(place, ["new.yaml", "--since", "soon"], "--since must be a duration such as 30d or 12h")
    await refused(place, ["new.yaml", "--since", "2099-01-01"], "or a day of the past")
    await refused(
      place,
      ["new.yaml", "--since", "20d"],
      "beyond what is kept: a case goes 10 d after its end (retention)",
    )
    expect(await place.run("policy", "simulate", "new.yaml")).toMatchObject({ code: 0 })
  })

  test("a seed that is no number", async () => {
    await refused(await here(), ["new.yaml", "--seed", "x"], "--seed: must be a whole number")
  })

  test("an installation without rules in force, or that is not there", async () => {
    const place = await here(null)
    await refused(place, ["new.yaml"], "no rules are in force at ours")

    writeFileSync(join(place.folder, "countersign.yaml"), "installation: other\n")
    await refused(place, ["new.yaml"], "there is no installation other in this Redis yet")
  })

  test("another key, no Redis, no Slack, and a folder in which nothing was ever kept", async () => {
    const place = await here()
    await kept(place, { id: "one" })
    const withEnv = async (env: Readonly<Record<string, string>>, says: string) =>
      refused(
        { ...place, run: (...words) => command(words, { env: { ...place.env, ...env }, cwd: place.folder }).ended },
        ["new.yaml"],
        says,
      )

    await withEnv({ COUNTERSIGN_KEY: "k".repeat(40) }, "key")
    await withEnv({ REDIS_URL: "redis://127.0.0.1:9" }, "Redis")
    await withEnv(
      { SLACK_BOT_TOKEN: "" },
      "only Slack knows whom groups and addresses mean: SLACK_BOT_TOKEN is not set",
    )
    const { REDIS_URL: _none, COUNTERSIGN_KEY: _neither, ...env } = place.env
    const run: Here["run"] = (...words) => command(words, { env, cwd: place.folder }).ended
    await refused({ ...place, run }, ["new.yaml"], "nothing was ever kept here")
    expect(readdirSync(place.folder)).not.toContain(".countersign")
  })
})
