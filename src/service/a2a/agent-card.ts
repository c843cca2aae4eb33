// Agent cards: what a component says of itself to other agents (A2A 0.3.0).
import type { AgentCard } from "@a2a-js/sdk"
import { type Component, familyOf } from "../components/component.ts"

/** The card of a component. `base` is this service's address, `prefix` where its A2A routes stand. */
export function agentCard(component: Component, base: string, prefix: string): AgentCard {
  const { id, name } = component
  const description = component.description ?? ""
  return {
    protocolVersion: "0.3.0",
    name,
    description,
    version: "1.0.0",
    url: `${base}${prefix}/${familyOf(component.kind)}/${encodeURIComponent(id)}/v1/message:stream`,
    preferredTransport: "JSONRPC",
    defaultInputModes: ["text"],
    defaultOutputModes: ["text"],
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    skills: [{ id, name, description, tags: [component.kind], outputModes: ["application/json"] }],
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    security: [{ bearer: [] }],
  }
}
