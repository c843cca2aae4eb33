// A2A requests whose body decides which scope they need: deprecated dispatch routes (4.4), and requests to an upstream.
import { z } from "zod"
import { holds, insufficient } from "../gate/standings.ts"
import type { Answering, HandlerRequest } from "../handler.ts"
import type { CheckedRequest } from "../route.ts"
import { refuse, type ServiceReply } from "../wire/reply.ts"

/** The families that a target can belong to. */
const targetFamilies = ["agents", "teams", "workflows"] as const

/** A family that a target can belong to. */
export type TargetFamily = (typeof targetFamilies)[number]

/** A target that this service serves and the caller may run. `text` is the body as it came. */
interface DispatchTarget {
  readonly family: TargetFamily
  readonly id: string
  readonly text: string
}

/** A request with the body as it came. */
export type RawRequest = CheckedRequest<unknown, Uint8Array<ArrayBuffer>>

/** How a dispatch is answered. */
interface DispatchOptions {
  /** The family of the component that we serve under this id, or null. */
  readonly familyOf: (id: string) => TargetFamily | null
  readonly serve: (target: DispatchTarget, request: HandlerRequest) => Answering
}

const everyRunScope = targetFamilies.map((family) => `${family}:run`)

/**
 * Answers a dispatch. The target is `params.message.agentId`, else the header `X-Agent-ID`, else 400. A target that we
 * serve needs the run scope of its own family. Only an upstream can know any other target. It may be of any family, so
 * it needs all three run scopes, and the scopes that its envelope asks for. Without an upstream the answer is 404.
 */
export function dispatch(request: RawRequest, options: DispatchOptions): Answering {
  const text = new TextDecoder().decode(request.body)
  const id = targetIn(text) ?? request.context.req.header("x-agent-id")
  if (id === undefined || id === "") return noTarget
  const family = options.familyOf(id)
  if (family !== null) {
    const scope = `${family}:run`
    if (!holds(request.standing, scope, id)) return insufficient([scope])
    return options.serve({ family, id, text }, request)
  }
  const { forward } = withEnvelopeCheck(request, targetFamilies)
  if (forward === null) return refuse(404, "Agent, team, or workflow not found")
  const lacking = everyRunScope.some((scope) => !holds(request.standing, scope, null))
  return lacking ? insufficient(everyRunScope) : forward(request.body)
}

const noTarget = refuse(400, "Entity ID required. Provide it via 'agentId' in params.message or 'X-Agent-ID' header.")

const messageSchema = z.object({ params: z.object({ message: z.object({ agentId: z.string().min(1) }) }) })

/** The target that the body names. A body that is no JSON names none: whoever serves it says what is wrong. */
function targetIn(text: string): string | undefined {
  return messageSchema.safeParse(bodyJson(text)).data?.params.message.agentId
}

/** The body as JSON; undefined if it is none. */
function bodyJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Makes a request forward its body only if the caller has the scopes that the envelope asks for. Else the answer is
 * 403, or 400 if the body is no envelope. For one family (agents, teams, workflows) these scopes are about the id in
 * the path; for several, about all ids of each family.
 */
function withEnvelopeCheck(request: HandlerRequest, of: readonly string[]): HandlerRequest {
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

const noEnvelope: ServiceReply = refuse(400, "The body is no JSON object")
const envelopeSchema = z.looseObject({ method: z.unknown().optional() })

/** The actions that an envelope asks for: none without a method, both for an unknown method. Null: unreadable. */
function actionsIn(text: string): readonly ("read" | "run")[] | null {
  const outcome = envelopeSchema.safeParse(bodyJson(text))
  if (!outcome.success) return null
  const { method } = outcome.data
  if (method === undefined || method === null) return []
  if (method === "tasks/get") return ["read"]
  return ["message/send", "message/stream", "tasks/cancel"].some((one) => one === method) ? ["run"] : ["read", "run"]
}

/** Answers a route of A2A that another instance serves: checks everything, and forwards the request. */
export function sendOn(pattern: string, request: RawRequest): Answering {
  const of = targetFamilies.filter((family) => pattern.includes(`/${family}/`))
  if (of.length === 0) return dispatch(request, { familyOf: () => null, serve: () => refuse(404, "Not Found") })
  const { forward } = withEnvelopeCheck(request, of)
  return forward === null ? refuse(501, "A2A needs an upstream") : forward(request.body)
}
