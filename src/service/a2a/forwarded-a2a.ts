// A2A requests of which nothing is served here: each goes on to an upstream, after its envelope was looked at.
import { a2aRoutes, isDispatch } from "../gate/a2a-routes.ts"
import type { Answered, HandlerRequest, Handlers } from "../handler.ts"
import { readBody } from "../wire/read-body.ts"
import { refuse } from "../wire/reply.ts"
import { dispatch, type TargetFamily, targetFamilies } from "./dispatch-target.ts"
import { withEnvelopeCheck } from "./envelope-check.ts"

/** Handlers, by their rows, for all A2A routes with a body: nothing of A2A is served here, everything is checked and sent on. */
export function forwardedA2a(maxBodyBytes: number): Handlers {
  const posts = Object.keys(a2aRoutes()).filter((pattern) => pattern.startsWith("POST "))
  const handlers = posts.map((pattern) => [
    pattern,
    isDispatch(pattern)
      ? (request: HandlerRequest) => dispatch(request, { ...nothingHere, maxBodyBytes })
      : (request: HandlerRequest) =>
          sendOn(
            request,
            targetFamilies.filter((family) => pattern.includes(`/${family}/`)),
            maxBodyBytes,
          ),
  ])
  return Object.fromEntries(handlers)
}

const nothingHere = { familyOf: () => null, serve: () => refuse(404, "Not Found") }

async function sendOn(request: HandlerRequest, of: readonly TargetFamily[], maxBodyBytes: number): Promise<Answered> {
  const body = await readBody(request.context, maxBodyBytes)
  if (!body.ok) return body.reply
  const { forward } = withEnvelopeCheck(request, of)
  return forward === null ? refuse(501, "A2A needs an upstream") : forward(body.value)
}
