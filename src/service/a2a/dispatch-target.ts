// The deprecated A2A dispatch routes (4.4) learn their target from the message: it is found, and its own run scope checked, here.
import { z } from "zod"
import { insufficient } from "../gate/gate.ts"
import { holds } from "../gate/holds.ts"
import type { Answered, HandlerRequest } from "../handler.ts"
import { readBody } from "../wire/read-body.ts"
import { refuse } from "../wire/reply.ts"
import { withEnvelopeCheck } from "./envelope-check.ts"

/** What a target can be. */
export const targetFamilies = ["agents", "teams", "workflows"] as const

/** See `targetFamilies`. */
export type TargetFamily = (typeof targetFamilies)[number]

/** A target that this service serves and the caller may run. `text` is the body as it came. */
export type DispatchTarget = { readonly family: TargetFamily; readonly id: string; readonly text: string }

/** How a dispatch is answered. */
export type DispatchOptions = {
  /** What is served here under an id; null for nothing. */
  readonly familyOf: (id: string) => TargetFamily | null
  readonly serve: (target: DispatchTarget, request: HandlerRequest) => Answered | Promise<Answered>
  readonly maxBodyBytes: number
}

const everyRunScope = targetFamilies.map((family) => `${family}:run`)

/**
 * Answers a dispatch. The target is `params.message.agentId`, else the header `X-Agent-ID`, else 400. What is served here needs the run
 * scope of its own type; what only an upstream can know needs all three, since it may be any of them, and in the same way what its
 * envelope asks for; without an upstream it is 404.
 */
export async function dispatch(request: HandlerRequest, options: DispatchOptions): Promise<Answered> {
  const body = await readBody(request.context, options.maxBodyBytes)
  if (!body.ok) return body.reply
  const text = new TextDecoder().decode(body.value)
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
  return lacking ? insufficient(everyRunScope) : forward(body.value)
}

const noTarget = refuse(400, "Entity ID required. Provide it via 'agentId' in params.message or 'X-Agent-ID' header.")

const messageSchema = z.object({ params: z.object({ message: z.object({ agentId: z.string().min(1) }) }) })

function targetIn(text: string): string | undefined {
  try {
    const outcome = messageSchema.safeParse(JSON.parse(text))
    return outcome.success ? outcome.data.params.message.agentId : undefined
  } catch (error) {
    // What is no JSON names no target; whoever serves it says what is wrong with it.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
