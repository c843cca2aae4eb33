// Answers the bot's calls in Slack's form: reads arguments, checks token and scopes, and makes the faults happen.
import { once } from "node:events"
import { setTimeout as later } from "node:timers/promises"
import { type Context, Hono } from "hono"
import type { WebFault } from "../delivery/faults.ts"
import type { World } from "../world.ts"
import { chatMethods } from "./chat.ts"
import { conversationMethods } from "./conversations.ts"
import { missingScope, refuse, type WebApiMethod, type WebApiRefusal, type WebApiReply } from "./method.ts"
import { userMethods } from "./users.ts"
import { viewMethods } from "./view-methods.ts"

type Args = Readonly<Record<string, unknown>>

const methods = new Map<string, WebApiMethod>(
  [chatMethods, conversationMethods, userMethods, viewMethods].flatMap((table) => Object.entries(table)),
)

/** The routes below `/api`. `closing` ends the calls that a fault keeps without an answer. */
export function webApi(world: World, closing: AbortSignal): Hono {
  const app = new Hono()
  app.on(["GET", "POST"], "/:method", async (c) => {
    const name = c.req.param("method")
    const args = await argumentsOf(c)
    world.callCounts.note(name)
    const run = () => respond(c, call(name, args, tokenOf(c, args), world), world)
    return await withFault(world.faults.takeWeb(name, args), { run, closing })
  })
  return app
}

/** Carries out a call, with the fault that strikes it, if any. `response_url` uses this as well. */
export async function withFault(
  fault: WebFault | undefined,
  { run, closing }: { readonly run: () => Response; readonly closing: AbortSignal },
): Promise<Response> {
  switch (fault?.kind) {
    case undefined:
      return run()
    case "ratelimited":
      return tooMany(fault.retryAfterS)
    case "status":
      return new Response("", { status: fault.status })
    case "error":
      return Response.json(refuse(fault.error))
    case "never_answer":
      return await unanswered(closing)
    case "accept_then_never_answer":
      run()
      return await unanswered(closing)
    case "slow": {
      const answer = run()
      await later(fault.ms)
      return answer
    }
  }
}

function call(name: string, args: Args, token: string, world: World): WebApiReply {
  const method = methods.get(name)
  if (!method) return refuse("unknown_method")
  return refuseToken(method, token, world) ?? method.run(args, world)
}

function refuseToken(method: WebApiMethod, token: string, world: World): WebApiRefusal | undefined {
  if (method.token === "none") return undefined
  if (token === "") return refuse("not_authed")
  if (token !== world.tokens.bot && token !== world.tokens.app) return refuse("invalid_auth")
  if (token !== world.tokens[method.token]) return refuse("not_allowed_token_type")
  if (method.token === "bot" && world.install.refused !== null) return refuse(world.install.refused)
  return method.scope === undefined ? undefined : missingScope(world, method.scope)
}

function respond(c: Context, reply: WebApiReply, world: World): Response {
  if (!reply.ok && "retryAfterS" in reply) return tooMany(Number(reply.retryAfterS))
  c.header("x-oauth-scopes", [...world.scopes].join(","))
  return c.json(reply)
}

function tooMany(retryAfterS: number): Response {
  return Response.json(refuse("ratelimited"), { status: 429, headers: { "retry-after": String(retryAfterS) } })
}

async function argumentsOf(c: Context): Promise<Args> {
  if (c.req.method === "GET") return c.req.query()
  const text = await c.req.text()
  if (!c.req.header("content-type")?.startsWith("application/json"))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}

function tokenOf(c: Context, args: Args): string {
  const bearer = c.req.header("authorization")?.replace(/^Bearer /i, "")
  return bearer ?? (typeof args["token"] === "string" ? args["token"] : "")
}

/** Waits until the sandbox closes. Then the caller's connection ends. */
async function unanswered(closing: AbortSignal): Promise<Response> {
  await once(closing, "abort")
  return new Response("", { status: 503 })
}
