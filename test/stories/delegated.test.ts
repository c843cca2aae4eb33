// A token for each decision, in the human's own name: the platform itself attests who decided.
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startDescribed } from "../service/described/start-described.ts"
import { aFolder } from "../support/opened.ts"
import { alarms, card, press, until } from "./acts.ts"
import { type Stage, sandboxCast, startStage, type WorldOptions } from "./world.ts"

const aPair = () => generateKeyPairSync("ec", { namedCurve: "P-256" })
type Pair = ReturnType<typeof aPair>
const publicPem = ({ publicKey }: Pair) => publicKey.export({ type: "spki", format: "pem" }).toString()
const privatePem = ({ privateKey }: Pair) => privateKey.export({ type: "pkcs8", format: "pem" }).toString()

/**
 * A service that trusts these keys and records the token's subject, and a bot that may read by its own token and
 * resolve by theirs.
 */
async function aWorld(trusted: readonly Pair[], signing: Pair, options: WorldOptions = {}) {
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    verificationKeys: trusted.map(publicPem),
    algorithm: "ES256",
    resolvedByFromSubject: true,
    tokens: { audience: ["os-1"], issuer: ["https://countersign.example"] },
    clock: Date.now,
    random: randomBytes,
  })
  const file = join(aFolder("delegated"), "key.pem")
  writeFileSync(file, privatePem(signing))
  const instance = `delegated: { algorithm: ES256, key_file: "${file}", audience: os-1, issuer: "https://countersign.example" }`
  const token = service.mintServiceAccount({ name: "reader", scopes: ["approvals:read"] })
  const stage = await startStage({ instance, ...options }, { url: service.url, token })
  onTestFinished(async () => {
    await stage.close()
    await service.close()
  })
  const operator = service.mintServiceAccount({ name: "operator", scopes: ["approvals:create", "approvals:read"] })
  const call = async (method: string, path: string, body?: string) => {
    const headers = { authorization: `Bearer ${operator}`, "content-type": "application/json" }
    const answer = await fetch(service.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    return (await answer.json()) as { id: string; status: string; resolved_by: string | null }
  }
  const ask = () =>
    call("POST", "/approvals", JSON.stringify({ tool_name: "delete_user_data", tool_args: {}, agent_id: "a" }))
  const decided = (id: string) =>
    until("the decision to be taken", async () => {
      const row = await call("GET", `/approvals/${id}`)
      return row.status === "pending" ? undefined : row
    })
  return { stage, ask, decided, file }
}

const alarmed = (stage: Stage, words: string) =>
  until(`an alarm with "${words}"`, () =>
    stage.log.find((line) => line["event"] === "alarm" && JSON.stringify(line).includes(words)),
  )

test("the platform's record names the human whose token it was", async () => {
  const pair = aPair()
  const { stage, ask, decided } = await aWorld([pair], pair)
  const { id } = await ask()

  await press(stage, sandboxCast.alice, await card(stage), "approve")

  expect(await decided(id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
  expect(alarms(stage)).toEqual([])
})

test("who is listed under another name decides under that", async () => {
  const pair = aPair()
  const more = `identities: [{ subject: alice@corp.example, slack: "T0SANDBOX:${sandboxCast.alice}" }]`
  const { stage, ask, decided } = await aWorld([pair], pair, { more })
  const { id } = await ask()

  await press(stage, sandboxCast.alice, await card(stage), "reject")

  expect(await decided(id)).toMatchObject({ status: "rejected", resolved_by: "alice@corp.example" })
})

test("a key that is replaced in its file takes effect without a restart, on the verdict that waits for it too", async () => {
  const [old, fresh] = [aPair(), aPair()]
  const { stage, ask, decided, file } = await aWorld([fresh], old)
  const { id } = await ask()

  await press(stage, sandboxCast.alice, await card(stage), "approve")
  await alarmed(stage, "resolve-refused-for-now")
  writeFileSync(file, privatePem(fresh))

  expect(await decided(id)).toMatchObject({ status: "approved", resolved_by: "alice@sandbox.example" })
})
