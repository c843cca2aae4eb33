// What an A2A envelope asks for, checked before it goes on to an upstream: it may ask for another method than its path, and an upstream may
// follow it.
import { z } from "zod"
import { insufficient } from "../gate/gate.ts"
import { holds } from "../gate/holds.ts"
import type { HandlerRequest } from "../handler.ts"
import { type Reply, refuse } from "../wire/reply.ts"

/**
 * The same request, whose body goes on only if the caller holds what its envelope asks for, of all these families (agents, teams,
 * workflows); of the one id of its path only, where there is one family. Else 403; 400 for a body that is no envelope.
 */
export function withEnvelopeCheck(request: HandlerRequest, of: readonly string[]): HandlerRequest {
  const { forward, standing, ids } = request
  if (forward === null) return request
  const id = of.length === 1 ? (ids[0] ?? null) : null
  return {
    ...request,
    forward: async (body) => {
      const actions = actionsIn(new TextDecoder().decode(body))
      if (actions === null) return noEnvelope
      const needed = actions.flatMap((action) => of.map((family) => `${family}:${action}`))
      return needed.every((scope) => holds(standing, scope, id)) ? forward(body) : insufficient(needed)
    },
  }
}

const noEnvelope: Reply = refuse(400, "The body is no JSON object")
const envelopeSchema = z.looseObject({ method: z.unknown().optional() })

/** What an envelope asks for beyond its path: nothing without a method, both for an unknown one. Null: it cannot be read. */
function actionsIn(text: string): readonly ("read" | "run")[] | null {
  try {
    const outcome = envelopeSchema.safeParse(JSON.parse(text))
    if (!outcome.success) return null
    const { method } = outcome.data
    if (method === undefined || method === null) return []
    if (method === "tasks/get") return ["read"]
    return method === "message/send" || method === "message/stream" || method === "tasks/cancel"
      ? ["run"]
      : ["read", "run"]
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
