// countersign doctor as a command: what it prints, and its exit code.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { command } from "../command.ts"
import { aPatient, aService, type Patient } from "../patient.ts"

async function aHealthyOne(): Promise<Patient> {
  const service = await aService()
  const token = service.mintServiceAccount({ name: "countersign", scopes: ["approvals:read", "approvals:write"] })
  const patient = await aPatient({ platformUrl: service.url, env: { PLATFORM_TOKEN: token } })
  writeFileSync(join(patient.folder, "countersign.yaml"), patient.yaml)
  return patient
}

function doctor({ env, folder }: Patient, ...args: string[]) {
  return command(["doctor", ...args], { env, cwd: folder }).ended
}

describe("countersign doctor", () => {
  it("countersign doctor where all is well says so of everything, and ends with 0", async () => {
    const patient = await aHealthyOne()

    const { code, out, err } = await doctor(patient)

    expect(err).toMatch(/^asking redis, platform main, slack …\n/)
    for (const part of ["redis", "platform main", "slack"])
      expect(err).toMatch(new RegExp(`^${part}: \\d+\\.\\d s`, "m"))
    expect(out.split("\n").filter((line) => /^(warn|error)/.test(line))).toEqual([])
    for (const area of [
      "config",
      "key",
      "redis",
      "ledger",
      "marks",
      "platform main",
      "slack",
      "route C0APPROVALS",
      "rule everything",
      "rules",
    ])
      expect(out).toContain(`${area}: `)
    expect(out).toMatch(/\d+ ok, 0 warnings, 0 errors\n$/)
    expect(code).toBe(0)
  })

  it("countersign doctor with something to mend says what, why and what to do, and ends with 1", async () => {
    const patient = await aHealthyOne()
    patient.sandbox.scopes.delete("users:read.email")

    const { code, out } = await doctor(patient)

    expect(out).toMatch(/error {2}slack: scopes are missing: users:read\.email\n {7}why: .+\n {7}do: {2}.*manifest/)
    expect(out).toContain("1 error")
    expect(code).toBe(1)
  })

  it("countersign doctor with something to look at only ends with 0", async () => {
    const patient = await aHealthyOne()
    patient.sandbox.scopes.delete("im:history")

    const { code, out } = await doctor(patient)

    expect(out).toContain("warn   slack: optional scopes are missing: im:history")
    expect(code).toBe(0)
  })

  it("a condition on an argument that no known call has is told, with the name that they have", async () => {
    const service = await aService()
    const scopes = ["approvals:read", "approvals:write", "approvals:create"]
    const token = service.mintServiceAccount({ name: "countersign", scopes })
    const rules = `
  - {name: large, when: args.amuont > 1000, routes: [C0APPROVALS], approvers: [U0ALICE], unknown_requester: allow}
  - {name: rest, routes: [C0APPROVALS], approvers: [U0ALICE], unknown_requester: allow}`
    const patient = await aPatient({ platformUrl: service.url, env: { PLATFORM_TOKEN: token }, rules })
    writeFileSync(join(patient.folder, "countersign.yaml"), patient.yaml)
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    for (const amount of [1, 2, 3, 4, 5]) {
      const body = JSON.stringify({ tool_name: "pay", tool_args: { amount } })
      expect((await fetch(`${service.url}/approvals`, { method: "POST", headers, body })).status).toBe(201)
    }

    const { out } = await doctor(patient)

    expect(out).toContain("warn   rule large: it looks at args.amuont, which is in none of the 5 newest calls")
    expect(out).toContain("do:  correct the name: they have amount")
  })

  it("--json tells programs the same, and never a secret", async () => {
    const patient = await aHealthyOne()

    const { code, out, err } = await doctor(
      { ...patient, env: { ...patient.env, PLATFORM_TOKEN: "wrong-platform-token" } },
      "--json",
    )

    expect(err).toBe("")

    const told = JSON.parse(out)
    expect(told.healthy).toBe(false)
    expect(told.findings).toContainEqual({
      level: "fail",
      area: "platform main",
      what: expect.stringContaining("401"),
      why: expect.stringContaining("nobody is asked"),
      todo: expect.stringContaining("token"),
    })
    expect(told.findings).toContainEqual(expect.objectContaining({ level: "ok", area: "slack" }))
    for (const name of ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "COUNTERSIGN_KEY"] as const)
      expect(out).not.toContain(patient.env[name])
    expect(out).not.toContain("wrong-platform-token")
    expect(code).toBe(1)
  })

  it.each(["cut-off…", "wrapped\nsecret"])(
    "countersign doctor with the token %j says so and ends with 1",
    async (token) => {
      const patient = await aHealthyOne()

      const { code, out } = await doctor({ ...patient, env: { ...patient.env, PLATFORM_TOKEN: token } })

      expect(out).toContain(
        "error  config: environment variable PLATFORM_TOKEN holds a line break or another character",
      )
      expect(code).toBe(1)
    },
  )

  it("countersign doctor without any setting names every one that is missing", async () => {
    const patient = await aPatient()

    const { code, out } = await command(["doctor"], { cwd: patient.folder }).ended

    for (const name of ["SLACK_BOT_TOKEN", "PLATFORM_URL", "APPROVERS", "APPROVALS_CHANNEL"])
      expect(out).toContain(`error  config: environment variable ${name} is not set`)
    expect(code).toBe(1)
  })
})
