// A token for each decision, signed in the human's own name, at the real AgentOS: its record names the human, and says
// who may not.
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { SignJWT } from "jose"
import { describe, expect, onTestFinished, test } from "vitest"
import { alarms, card, press, threadSays, until } from "../stories/acts.ts"
import { sandboxCast, startStage } from "../stories/world.ts"
import { aFolder } from "../support/opened.ts"
import { type AgentOs, aJwt, isAtLeast, SECRET, startAgentOs, VERSIONS } from "./agentos.ts"
import { rowOf, startRun } from "./drive.ts"
import { describeAgentOs } from "./stages.ts"

const hs256 = 'delegated: { algorithm: HS256, key: "${SIGNING_SECRET}" }'
const env = { SIGNING_SECRET: SECRET }
/** The record of a run once it is decided. */
const decidedRow = (os: AgentOs, runId: string) =>
  until("the decision to be taken", async () => {
    const row = await rowOf(os, runId)
    return row.status === "pending" ? undefined : row
  })

describeAgentOs("JWT, delegated", {}, ({ version, os, aStage }) => {
  test(`trap 42: agno ${version} itself attests the human: resolved_by is the subject of the token for this decision`, async () => {
    const stage = await aStage({ token: await aJwt(["approvals:read"], { sub: "countersign" }), instance: hs256, env })
    const run = await startRun(os(), { of: "admin-agent" })

    await press(stage, sandboxCast.bob, await card(stage), "approve")

    expect(await decidedRow(os(), run.runId)).toMatchObject({
      status: "approved",
      resolved_by: "bob@sandbox.example",
      resolution_data: { countersign: { approvers: [{ subject: "bob@sandbox.example" }] } },
    })
    expect(alarms(stage)).toEqual([])
  })

  test("who is listed under another name is recorded under that", async () => {
    const more = `identities: [{ subject: alice@corp.example, slack: "T0SANDBOX:${sandboxCast.alice}" }]`
    const stage = await aStage({ token: await aJwt(["approvals:read"]), instance: hs256, env, more })
    const run = await startRun(os(), { of: "admin-agent" })

    await press(stage, sandboxCast.alice, await card(stage), "reject")

    expect(await decidedRow(os(), run.runId)).toMatchObject({ status: "rejected", resolved_by: "alice@corp.example" })
  })
})

describeAgentOs("user isolation, delegated", { isolation: true }, ({ os, aStage }) => {
  test("trap 43: a delegated token is answered 404, which is diagnosed and not retried", async () => {
    const stage = await aStage({
      token: await aJwt(["agent_os:admin"]),
      instance: `${hs256}, accept_run_scope: true`,
      env,
    })
    const run = await startRun(os(), { of: "admin-agent" })
    const open = await card(stage)

    await press(stage, sandboxCast.alice, open, "approve")

    await threadSays(stage, open, "the credential may see it and not resolve it")
    expect(alarms(stage)).toContain("credential-may-not-resolve")
    expect((await rowOf(os(), run.runId)).status).toBe("pending")
  })
})

describe.each(VERSIONS.filter((version) => isAtLeast(version, "3.1.0")))("AgentOS %s, roles, delegated", (version) => {
  test("a token whose subject has the role decides; the other is told that they need one there", async () => {
    const os = await startAgentOs(version, { roles: true })
    const more = `identities: [{ subject: approver@example.com, slack: "T0SANDBOX:${sandboxCast.bob}" }]`
    const token = await aJwt([], { sub: "approver@example.com" })
    const stage = await startStage({ timeoutMs: 8_000, instance: hs256, env, more }, { url: os.url, token })
    onTestFinished(async () => {
      await stage.close()
      await os.close()
    })
    const run = await startRun(os, { of: "admin-agent" })
    const open = await card(stage)

    await press(stage, sandboxCast.alice, open, "approve")
    await threadSays(stage, open, "where the platform decides by roles, they need one there")
    await press(stage, sandboxCast.bob, await card(stage), "approve")

    expect(await decidedRow(os, run.runId)).toMatchObject({ status: "approved", resolved_by: "approver@example.com" })
  })
})

describe.each(VERSIONS)("AgentOS %s, ES256 and an audience, delegated", (version) => {
  test("a key file signs for a platform that asks for ES256 and an audience", async () => {
    const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const file = join(aFolder("es256"), "key.pem")
    writeFileSync(file, pair.privateKey.export({ type: "pkcs8", format: "pem" }))
    const sign = (scopes: readonly string[]) =>
      new SignJWT({ scopes })
        .setProtectedHeader({ alg: "ES256" })
        .setAudience("os-1")
        .setExpirationTime("1h")
        .sign(pair.privateKey)
    const publicKey = pair.publicKey.export({ type: "spki", format: "pem" }).toString()
    const operator = await sign(["agent_os:admin"])
    const os = await startAgentOs(version, { algorithm: "ES256", publicKey, audience: "os-1", operator })
    const instance = `delegated: { algorithm: ES256, key_file: "${file}", audience: os-1 }`
    const place = { url: os.url, token: await sign(["approvals:read"]) }
    const stage = await startStage({ timeoutMs: 8_000, instance }, place)
    onTestFinished(async () => {
      await stage.close()
      await os.close()
    })
    const run = await startRun(os, { of: "admin-agent", user: null })

    await press(stage, sandboxCast.alice, await card(stage), "approve")

    expect((await decidedRow(os, run.runId)).resolved_by).toBe("alice@sandbox.example")
  })
})
