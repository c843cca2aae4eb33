// A2A requests that go on to an upstream. Their envelope may ask for another method than their path, and an upstream may follow it: so
// the scope of what the envelope asks for is checked before it leaves, too.
import { z } from "zod"
import { a2aRoutes, isDispatch } from "../../auth/a2a-routes.ts"
import type { Answered, HandlerRequest, Handlers } from "../handler.ts"
import { readBody } from "../wire/read-body.ts"
import { type Reply, refuse } from "../wire/reply.ts"
import { dispatch, type TargetFamily } from "./dispatch-target.ts"
import { insufficient } from "./gate.ts"
import { holds } from "./holds.ts"

/** Handlers, by their rows, for all A2A routes with a body: nothing of A2A is served here, everything is checked and sent on. */
export function forwardedA2a(maxBodyBytes: number): Handlers {
  const posts = Object.keys(a2aRoutes()).filter((pattern) => pattern.startsWith("POST "))
  const handlers = posts.map((pattern) => [
    pattern,
    isDispatch(pattern)
      ? (request: HandlerRequest) => dispatch(withCheck(request, families), { ...nothingHere, maxBodyBytes })
      : (request: HandlerRequest) =>
          sendOn(
            request,
            families.filter((family) => pattern.includes(`/${family}/`)),
            maxBodyBytes,
          ),
  ])
  return Object.fromEntries(handlers)
}

const families: readonly TargetFamily[] = ["agents", "teams", "workflows"]
const nothingHere = { familyOf: () => null, serve: () => refuse(404, "Not Found") }

async function sendOn(request: HandlerRequest, of: readonly TargetFamily[], maxBodyBytes: number): Promise<Answered> {
  const body = await readBody(request.context, maxBodyBytes)
  if (!body.ok) return body.reply
  const { forward } = withCheck(request, of)
  return forward === null ? refuse(501, "A2A needs an upstream") : forward(body.value)
}

/** The same request, whose body goes on only if the caller holds what its envelope asks for, of all these families. */
function withCheck(request: HandlerRequest, of: readonly TargetFamily[]): HandlerRequest {
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
const envelopeSchema = z.looseObject({ method: z.unknown() })

/** What an envelope asks for beyond its path: nothing without a method, both for a method that nobody here knows. Null: it cannot be read. */
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
