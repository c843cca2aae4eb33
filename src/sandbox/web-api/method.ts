// A Web API method: its token, its scope, its arguments, and what it answers.
import { z } from "zod"
import { slackMessages } from "../../blockkit/issues.ts"
import { type BlockRefusal } from "../../blockkit/validate.ts"
import type { World } from "../world.ts"

/** An answer as sent. With `retryAfterS` it is a 429. */
export type WebApiReply = { readonly ok: true; readonly [key: string]: unknown } | WebApiRefusal

/** Slack's `ok: false`. */
export interface WebApiRefusal {
  readonly ok: false
  readonly error: string
  readonly response_metadata?: { readonly messages: readonly string[] }
  readonly needed?: string
  readonly provided?: string
  readonly retryAfterS?: number
}

/** Which of the app's tokens a method wants. */
export type TokenKind = "bot" | "app" | "none"

/** One method of the Web API. */
export interface WebApiMethod {
  readonly token: TokenKind
  /** A token without this scope gets `missing_scope`. If the scope depends on the channel, `run` checks it. */
  readonly scope: string | undefined
  readonly run: (args: unknown, world: World) => WebApiReply
}

interface MethodSpec<S extends z.ZodType> {
  readonly token?: TokenKind
  readonly scope?: string
  readonly args: S
  readonly run: (args: z.infer<S>, world: World) => WebApiReply
}

/** Makes a method. It answers `invalid_arguments` if the arguments do not fit. Default token: the bot's. */
export function method<S extends z.ZodType>({ token = "bot", scope, args, run }: MethodSpec<S>): WebApiMethod {
  return {
    token,
    scope,
    run: (input, world) => {
      const parsed = args.safeParse(input)
      if (parsed.success) return run(parsed.data, world)
      const messages = parsed.error.issues.map(
        (issue) => `[ERROR] ${issue.message} [json-pointer:/${issue.path.join("/")}]`,
      )
      return { ok: false, error: "invalid_arguments", response_metadata: { messages } }
    },
  }
}

/** A refusal with Slack's error code. */
export function refuse(error: string): WebApiRefusal {
  return { ok: false, error }
}

/** The answer to blocks that Block Kit refuses. */
export function refuseBlocks({ code, errors }: BlockRefusal, error: string = code): WebApiRefusal {
  return { ok: false, error, response_metadata: { messages: slackMessages(errors) } }
}

/** A `views` method's answer to a view that Block Kit refuses. */
export function refuseView({ code, errors }: BlockRefusal): WebApiRefusal {
  const within = errors.map((error) => ({ ...error, pointer: `/view${error.pointer}` }))
  return refuseBlocks({ ok: false, code, errors: within }, code === "invalid_blocks" ? "invalid_arguments" : code)
}

/** The answer if the token lacks the scope; undefined if it has the scope. */
export function missingScope(world: World, scope: string): WebApiRefusal | undefined {
  if (world.scopes.has(scope)) return undefined
  return { ok: false, error: "missing_scope", needed: scope, provided: [...world.scopes].join(",") }
}

/** An argument that is JSON text in a form, and plain JSON in a JSON body. */
export const jsonArg = z.preprocess(parseText, z.unknown())

/** A yes or no in a form or in JSON; no by default. */
export const flagArg = z.preprocess((value) => value === true || value === "true" || value === "1", z.boolean())

/** A page's size; 100 by default, at most 999. */
export const limitArg = z.coerce.number().int().min(1).max(999).default(100)

function parseText(value: unknown): unknown {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
