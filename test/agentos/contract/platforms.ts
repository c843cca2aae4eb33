// The platforms of the contract: each version of AgentOS and the embedded service, with the same agents, tokens and
// secret.
import { randomBytes } from "node:crypto"
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import { createPlatformClient, type PlatformClient } from "../../../src/platform/client.ts"
import type { ScriptInput } from "../../../src/service/components/script.ts"
import { startDescribed } from "../../service/described/start-described.ts"
import { type AgentOs, aJwt, isAtLeast, type Mode, SECRET, startAgentOs, VERSIONS } from "../agentos.ts"
import { call } from "../drive.ts"

/** One platform, as a case sees it. */
export interface Platform {
  /** `embedded`, or the version of agno. */
  readonly name: string
  readonly os: () => AgentOs
  /** A client; without a token its JWT has no subject and may read and resolve. Closed after the test. */
  readonly client: (token?: string) => Promise<PlatformClient>
  /** What this platform does, of the two or three ways there are (docs/agentos.md, "Where they differ"). */
  readonly pick: <T>(ways: { readonly embedded: T; readonly v2: T; readonly v3: T }) => T
}

const agent = (id: string, tool: Readonly<Record<string, unknown>>, args: Readonly<Record<string, unknown>>) => ({
  id,
  tools: [{ gated: true, ...tool }],
  runs: [[[{ tool: tool["name"], args }]]],
})

const payment = { amount: 7, recipient: "Ann", note: "tea" }
/** The message with which `scripted-agent` wants to pay, every field filled in. */
export const PAYMENT = JSON.stringify([[{ name: "send_money", arguments: payment }], "Done."])
const fields = [
  { name: "amount", field_type: "float", description: "How much." },
  { name: "recipient", field_type: "str", description: "Who gets it." },
  { name: "note", field_type: "str", description: "What it is for." },
]

/** The same agents as the testbed's, as far as the embedded service can have them. */
const script = {
  agents: [
    agent("admin-agent", { name: "delete_user_data" }, { user_id: "U-100" }),
    agent("payments-agent", { name: "send_money", pause: "user_input", fields }, { amount: 50, note: "lunch" }),
    {
      id: "scripted-agent",
      tools: [{ name: "send_money", gated: true, pause: "user_input", fields }],
      runs: [{ name: PAYMENT, turns: [[{ tool: "send_money", args: payment }]] }],
    },
    agent("operations-agent", { name: "restart_database", pause: "external_execution" }, { cluster: "db-1" }),
    {
      id: "two-tools-agent",
      tools: [
        { name: "delete_user_data", gated: true },
        { name: "send_email", gated: true },
      ],
      runs: [
        [
          [
            { tool: "delete_user_data", args: { user_id: "U-100" } },
            { tool: "send_email", args: { to: "u100@example.com", subject: "Your data", body: "We deleted it." } },
          ],
        ],
      ],
    },
  ],
} as ScriptInput

/** The embedded service with the agents of the testbed. */
export async function startEmbedded(): Promise<AgentOs> {
  const service = await startDescribed({
    database: ":memory:",
    script,
    authorization: true,
    verificationKeys: [SECRET],
    algorithm: "HS256",
    adminScope: "agent_os:admin",
    clock: Date.now,
    random: randomBytes,
  })
  const executions = () => service.executions().map((one) => ({ tool: one.toolName, arguments: {} }))
  const none = { mode: {}, database: "", gate: "", slackCalls: () => [] }
  const restart = () => Promise.reject(new Error("the embedded service runs in this process"))
  return { url: service.url, version: "embedded", ...none, executions, restart, close: () => service.close() }
}

/** What speaks the shapes of AgentOS 3.1.10: that version, later ones, and the embedded service. */
export const TODAYS: readonly string[] = [...VERSIONS.filter((version) => isAtLeast(version, "3.1.10")), "embedded"]

/** The cases once for each platform, the same titles for all. `mode` is AgentOS's. */
export function describePlatforms(
  title: string,
  cases: (platform: Platform) => void,
  names: readonly string[] = [...VERSIONS, "embedded"],
  mode: Mode = {},
): void {
  describe.each(names)(`AgentOS %s, ${title}`, (name) => {
    let os: AgentOs | undefined
    const closers: (() => Promise<void>)[] = []
    const running = () => {
      if (os === undefined) throw new Error("the platform does not run yet")
      return os
    }
    beforeAll(async () => {
      os = await (name === "embedded" ? startEmbedded() : startAgentOs(name, mode))
    })
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close()
      await clear(running())
    })
    afterAll(() => os?.close())
    cases({
      name,
      os: running,
      client: async (token) => {
        const credential = token ?? (await aJwt(["approvals:read", "approvals:write"]))
        const client = createPlatformClient({ name: "main", url: running().url, token: credential })
        closers.push(() => client.close())
        return client
      },
      pick: ({ embedded, v2, v3 }) => (name === "embedded" ? embedded : isAtLeast(name, "3.0.0") ? v3 : v2),
    })
  })
}

async function clear(os: AgentOs): Promise<void> {
  const token = await aJwt(["approvals:read", "approvals:delete"])
  const { body } = await call(os, "GET /approvals?limit=1000", { token })
  for (const { id } of (body as { data: { id: string }[] }).data) await call(os, `DELETE /approvals/${id}`, { token })
}
