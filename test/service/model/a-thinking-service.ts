// A service whose agent thinks with an endpoint of the tests.
import type { ScriptInput } from "../../../src/service/components/script.ts"
import type { ServiceOptions } from "../../../src/service/service-options.ts"
import { aService, type TestService } from "../a-service.ts"

/** The key of the tests; it must show up nowhere but in requests to the endpoint. */
export const modelKey = "sk-test-0123456789abcdef"

/** A script with an agent, `clerk`, that thinks; `model` and `agent` change it. */
export function aThinkingScript(url: string, model: Record<string, unknown> = {}, agent: Record<string, unknown> = {}) {
  const script: ScriptInput = {
    agents: [
      {
        id: "clerk",
        name: "Clerk",
        model: { base_url: url, name: "test-model", key_env: "TEST_KEY", ...model },
        instructions: "You pay money back.",
        tools: [
          { name: "look_up", description: "Finds an invoice.", result: "12.99 EUR", parameters: idSchema },
          { name: "refund", description: "Pays money back.", requires_confirmation: true, parameters: centsSchema },
          { name: "pay", gated: true, pause: "user_input", fields: [{ name: "iban", description: "Where to" }] },
          { name: "call_bank", gated: true, pause: "external_execution" },
        ],
        ...agent,
      },
    ],
    teams: [{ id: "desk", members: ["clerk"], runs: [[[{ member: "clerk", task: "refund it" }]]] }],
    workflows: [
      {
        id: "close",
        steps: [
          { agent: "clerk", task: "refund it" },
          { name: "again", agent: "clerk" },
        ],
      },
    ],
  }
  return script
}

const idSchema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
const centsSchema = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] }

/** Starts a service with that agent. */
export function aThinkingService(
  url: string,
  {
    model,
    agent,
    ...options
  }: Partial<ServiceOptions> & {
    readonly model?: Record<string, unknown>
    readonly agent?: Record<string, unknown>
  } = {},
): Promise<TestService> {
  return aService({
    script: aThinkingScript(url, model, agent),
    environment: { TEST_KEY: modelKey },
    ...options,
  })
}
