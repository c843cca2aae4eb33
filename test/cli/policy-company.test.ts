// What the policy commands say of a file of 20 rules, to the letter: test/cli/golden is read as an operator reads it.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loadConfig } from "../../src/config.ts"
import { openCase } from "../../src/domain/case/steps.ts"
import { noneIsPassed } from "../../src/domain/policy/limit-reading.ts"
import { policyOf } from "../../src/domain/policy/policy.ts"
import { aPerson, defaultSeed, type WorkspaceSeed } from "../../src/sandbox/workspace/seed.ts"
import { aPast, dayMs } from "../domain/simulation/past.ts"
import { openStore } from "../store/support.ts"
import { anApproval } from "../support/builders.ts"
import { aFolder } from "../support/opened.ts"
import { redisByAddress } from "../support/redis.ts"
import { aSharedConfig } from "../support/shared-config.ts"
import { command } from "./command.ts"
import { aPatient } from "./patient.ts"

const root = new URL("../..", import.meta.url).pathname
const company = readFileSync(join(root, "docs/policy/company.yaml"), "utf8")

/** The command in a folder that has the file, and the file as it may become. */
async function countersign(
  args: readonly string[],
  become: (yaml: string) => string = (yaml) => yaml,
  env: Readonly<Record<string, string>> = {},
) {
  const cwd = aFolder("company")
  writeFileSync(join(cwd, "company.yaml"), company)
  writeFileSync(join(cwd, "new.yaml"), become(company))
  return await command(args, { env: { ...env, COUNTERSIGN_CONFIG: "company.yaml" }, cwd }).ended
}

/** The file with something else in one of its rules. */
function changed(rule: string, from: string, to: string) {
  return (yaml: string): string => {
    const at = yaml.indexOf(from, yaml.indexOf(`- name: ${rule}\n`))
    expect(at).toBeGreaterThan(0)
    return yaml.slice(0, at) + to + yaml.slice(at + from.length)
  }
}

/** What was said, and how it ended. */
function saidBy({ out, err, code }: Awaited<ReturnType<typeof countersign>>): string {
  return `${out}${err}exit code ${code}\n`
}

const golden = (name: string) => join(root, "test/cli/golden", `company-${name}.txt`)

test("check finds nothing to warn of, and says like things once", async () => {
  const checked = await countersign(["policy", "check", "--offline", "--strict"])

  await expect(saidBy(checked)).toMatchFileSnapshot(golden("check"))
})

test("matrix says who may decide what", async () => {
  await expect(saidBy(await countersign(["policy", "matrix", "--offline"]))).toMatchFileSnapshot(golden("matrix"))
})

test("diff names the rule whose expiry is shorter, and no other", async () => {
  const become = changed("deployments", "expire_after: 72h", "expire_after: 48h")

  const compared = await countersign(["policy", "diff", "company.yaml", "new.yaml"], become)

  expect(readFileSync(join(root, "docs/policy.md"), "utf8")).toContain(`\`\`\`\n${compared.out}\`\`\``)
  await expect(saidBy(compared)).toMatchFileSnapshot(golden("diff-expiry"))
})

/** The people of the company: each in the groups that their work is in. */
const people = [
  "carl",
  "ada",
  "tim",
  "tess",
  "finn",
  "fay",
  "sue",
  "dora",
  "oleg",
  "olga",
  "lena",
  "erik",
  "vera",
  "paul",
]
const groups = {
  S0PRIVACY00: ["ada"],
  S0ONCALL000: ["oleg", "olga"],
  S0LEADS0000: ["lena"],
  S0TREASURY0: ["tim", "tess"],
  S0FINANCE00: ["finn", "fay"],
  S0SUPPORT00: ["sue"],
  S0DBA00000: ["dora", "oleg"],
  S0ENGINEERS: ["erik", "olga"],
  S0SECURITY0: ["vera", "lena"],
  S0PEOPLE000: ["paul"],
  S0COMMS0000: ["sue"],
  S0DATA00000: ["dora"],
  S0OPERATORS: ["oleg", "olga"],
}
const idOf = (name: string) => `U0${name.toUpperCase()}`

/** A workspace with these. */
const seed: WorkspaceSeed = {
  ...defaultSeed,
  people: [
    ...defaultSeed.people,
    ...people.map((name) => aPerson(idOf(name), name, name === "carl" ? { email: "cfo@example.com" } : {})),
  ],
  groups: Object.entries(groups).map(([id, names]) => {
    const handle = id.toLowerCase()
    return { id, handle, name: handle, memberIds: names.map(idOf), disabled: false }
  }),
}

/** A month of the company: which call came every so many hours, and who decided it. */
const month = [
  { every: 4, tool: "send_payment", args: { amount: 120, country: "DE", recipient: "Ann" }, by: ["finn"] },
  { every: 11, tool: "send_payment", args: { amount: 2_400, country: "DE", recipient: "Ben" }, by: ["finn", "fay"] },
  { every: 30, tool: "send_payment", args: { amount: 900, country: "FR", recipient: "Cle" }, by: ["tess"] },
  { every: 9, tool: "refund_order", args: { amount: 40 }, by: ["sue"] },
  { every: 12, tool: "deploy_web", args: { environment: "staging" }, by: ["erik", "oleg", "lena"] },
  { every: 48, tool: "grant_access", args: { user: "erik" }, by: ["vera", "lena"] },
  { every: 100, tool: "drop_index", args: { index: "old" }, by: ["dora", "oleg"] },
]
const hourMs = 3_600_000
/** The last Monday, so that each hour of the week is there as often whenever this runs (1970 began on a Thursday). */
const monday = Math.floor((Date.now() - 4 * dayMs) / (7 * dayMs)) * 7 * dayMs + 4 * dayMs

test("simulate says whom a stricter limit on payments asks, and how much longer they would wait", async () => {
  const patient = await aPatient({ seed })
  const url = await redisByAddress()
  const key = Buffer.from(patient.env["COUNTERSIGN_KEY"] ?? "")
  const { store } = await openStore({ url, installation: "default", key, revision: null })
  const { rules, written } = loadConfig({ env: {}, cwd: root, readFile: () => company, need: "rules" })
  const shared = aSharedConfig("rev-1", { rules, written })
  await store.config.activate({ shared, activate: false, at: monday - 40 * dayMs })
  const policy = policyOf(rules, [])
  const userId = "rita@sandbox.example"
  let made = 0
  for (const { every, tool, args, by } of month)
    for (let at = monday - 28 * dayMs; at < monday; at += every * hourMs) {
      made += 1
      const approval = anApproval({ id: `case-${made}`, instance: "main", toolName: tool, toolArgs: args, userId })
      const presses = by.map((name, index) => ({ user: idOf(name), ms: (index + 1) * (60_000 + (made % 7) * 120_000) }))
      const past = {
        approval,
        policy: { ...policy, limits: noneIsPassed(rules) },
        at,
        presses,
        circumstances: { requester: null, at },
      }
      const course = { ...past, installation: "default", home: defaultSeed.team.id }
      const { events } = openCase({ ...course, epoch: "epoch-1" })
      await store.cases.commit({ next: aPast(course), expectedVersion: 0, events })
    }
  const become = changed("payments", "above: 5000", "above: 500")

  const simulated = await countersign(["policy", "simulate", "new.yaml", "--since", "60d"], become, {
    ...patient.env,
    REDIS_URL: url,
  })

  const said = saidBy(simulated)
    .replaceAll(/\d{4}-\d\d-\d\d/g, "(day)")
    .replaceAll(/^cases (?:replayed|added up): .*\n/gm, "")
  await expect(said).toMatchFileSnapshot(golden("simulate"))
})

test("diff names what is looser above a limit that rises, and what a limit's people come to", async () => {
  const become = changed("payments", "above: 5000", "above: 20000")

  const compared = await countersign(["policy", "diff", "company.yaml", "new.yaml"], become)

  await expect(saidBy(compared)).toMatchFileSnapshot(golden("diff-limit"))
})
