// The routes beside Slack's Web API: `/control`, by which a program or the page acts, and answers to a response_url.
import { type Context, Hono } from "hono"
import { z } from "zod"
import { type CheckedMessage, validateMessage } from "../../blockkit/validate.ts"
import type { ResponseOrigin } from "../limits/response-urls.ts"
import type { InteractionOutcome } from "../user-actions/payloads.ts"
import { snapshotFor } from "../user-actions/snapshot.ts"
import { userActionsOf } from "../user-actions/user-actions.ts"
import { refuseBlocks } from "../web-api/method.ts"
import { withFault } from "../web-api/router.ts"
import { SandboxError } from "../workspace/error.ts"
import { withIds } from "../workspace/ids.ts"
import { postFor } from "../workspace/posting.ts"
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
const tryBody = z.object({ try: z.string() })
const shortcutBody = homeBody.extend({ callback: z.string(), place: place.optional() })

/**
 * The routes below `/control`: POST click, submit, close, command, shortcut, home and try; GET state?person=ID. Each
 * needs the control token as a bearer. `try` runs a try of the tour, and answers with its lead. If a person could not
 * make a request, the answer is 400 with `{error, message}`.
 */
export function controlApi(world: World, token: string): Hono {
  const userActions = userActionsOf(world)
  const app = new Hono()
  app.use(bearerOnly(token))
  app.onError(refuseRequest)
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
  app.post("/try", async (c) => {
    const { tour } = world.offer
    if (!tour) throw new SandboxError("no_such_thing", "This sandbox has nothing to try; countersign demo has")
    return c.json({ ok: true, lead: await tour.run(tryBody.parse(await c.req.json()).try) })
  })
  app.get("/state", (c) => c.json(snapshotFor(world, c.req.query("person") ?? "")))
  return app
}

function refuseRequest(error: Error, c: Context): Response {
  if (error instanceof SandboxError) return c.json({ error: error.code, message: error.message }, 400)
  if (error instanceof z.ZodError) return c.json({ error: "bad_request", message: z.prettifyError(error) }, 400)
  if (error instanceof SyntaxError) return c.json({ error: "bad_request", message: "The body is not JSON" }, 400)
  return c.json({ error: "internal", message: error.message }, 500)
}

const replyBody = z.looseObject({
  response_type: z.enum(["ephemeral", "in_channel"]).default("ephemeral"),
  replace_original: z.boolean().default(false),
  delete_original: z.boolean().default(false),
  thread_ts: z.string().optional(),
})

/** The route `/response/TOKEN`. It needs no credential but its token. */
export function responseRoutes(world: World, closing: AbortSignal): Hono {
  const app = new Hono()
  app.post("/:token", async (c) => {
    const text = await c.req.text()
    const run = () => answerResponseUrl(c, world, text)
    return await withFault(world.faults.takeWeb("response_url"), { run, closing })
  })
  return app
}

function answerResponseUrl(c: Context, world: World, text: string): Response {
  const origin = world.responseUrls.use(c.req.param("token") ?? "")
  if (!origin) return c.json({ ok: false, error: "used_url" }, 404)
  const input = parse(text)
  const parsed = replyBody.safeParse(input)
  if (!parsed.success) return c.json({ ok: false, error: "invalid_payload" }, 400)
  if (parsed.data.delete_original) {
    changeOriginal(world, origin)
    return c.text("ok")
  }
  const checked = validateMessage(input)
  if (!checked.ok) return c.json(refuseBlocks(checked), 400)
  const { message: content } = checked
  const { response_type, replace_original, thread_ts: threadTs } = parsed.data
  const personId = response_type === "in_channel" ? undefined : origin.personId
  if (replace_original && origin.message) changeOriginal(world, origin, content)
  else postFor(world.workspace, { channelId: origin.channelId, personId, threadTs, content })
  return c.text("ok")
}

/** Changes the original message; without content, removes it. */
function changeOriginal({ workspace }: World, { channelId, message }: ResponseOrigin, content?: CheckedMessage): void {
  if (!message) return
  const store = message.ephemeral ? workspace.ephemerals : workspace.messages
  if (!content) return void store.remove(channelId, message.ts)
  const before = store.find(channelId, message.ts)
  const next = withIds({ ...content, metadata: content.metadata ?? before?.metadata }, workspace.ids)
  store.change(channelId, message.ts, next, workspace.ids.ts())
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
