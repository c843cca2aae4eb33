// The control API: with it a program (or the page) does what people do, and reads what they see.
import { type Context, Hono } from "hono"
import { z } from "zod"
import type { InteractionOutcome } from "../user-actions/payloads.ts"
import { snapshotFor } from "../user-actions/snapshot.ts"
import { userActionsOf } from "../user-actions/user-actions.ts"
import { SandboxError } from "../workspace/error.ts"
import type { World } from "../world.ts"
import { bearerOnly } from "./guard.ts"

const choice = z.union([z.string(), z.array(z.string())])
const values = z.record(z.string(), choice)
const place = z.object({ channel: z.string(), ts: z.string() })

const clickBody = z.object({
  person: z.string(),
  place: z.union([place, z.string()]),
  action: z.string(),
  block: z.string().optional(),
  choose: choice.optional(),
  values: values.optional(),
})
const formBody = z.object({ person: z.string(), view: z.string(), values: values.default({}) })
const homeBody = z.object({ person: z.string() })
const commandBody = homeBody.extend({ channel: z.string(), line: z.string(), thread_ts: z.string().optional() })
const shortcutBody = homeBody.extend({ callback: z.string(), place: place.optional() })

/**
 * The routes below `/control`: POST click, submit, close, command, shortcut and home; GET state?person=ID. Each wants
 * the control token as a bearer. A request that a person could not make is 400 with `{error, message}`.
 */
export function controlApi(world: World, token: string): Hono {
  const userActions = userActionsOf(world)
  const app = new Hono()
  app.use(bearerOnly(token))
  app.onError(refuse)
  const route = <S extends z.ZodType>(
    path: string,
    schema: S,
    act: (body: z.infer<S>) => Promise<InteractionOutcome>,
  ) => app.post(path, async (c) => c.json(await act(schema.parse(await c.req.json()))))

  route("/click", clickBody, ({ person, place: at, action, block: blockId, choose, values: filled }) =>
    userActions.click(person, at, action, { blockId, choose, values: filled }),
  )
  route("/submit", formBody, (body) => userActions.submit(body.person, body.view, body.values))
  route("/close", formBody, (body) => userActions.closeView(body.person, body.view))
  route("/command", commandBody, ({ person, channel, line, thread_ts: threadTs }) =>
    userActions.command(person, channel, line, { threadTs }),
  )
  route("/shortcut", shortcutBody, (body) => userActions.shortcut(body.person, body.callback, body.place))
  route("/home", homeBody, (body) => userActions.openHome(body.person))
  app.get("/state", (c) => c.json(snapshotFor(world, c.req.query("person") ?? "")))
  return app
}

function refuse(error: Error, c: Context): Response {
  if (error instanceof SandboxError) return c.json({ error: error.code, message: error.message }, 400)
  if (error instanceof z.ZodError) return c.json({ error: "bad_request", message: z.prettifyError(error) }, 400)
  if (error instanceof SyntaxError) return c.json({ error: "bad_request", message: "The body is not JSON" }, 400)
  return c.json({ error: "internal", message: error.message }, 500)
}
