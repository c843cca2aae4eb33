// Answers to a response_url: replace, delete, post to the channel, or tell one person.
import { type Context, Hono } from "hono"
import { z } from "zod"
import { type CheckedMessage, validateMessage } from "../../blockkit/validate.ts"
import type { ResponseOrigin } from "../limits/response-urls.ts"
import { refuseBlocks } from "../web-api/method.ts"
import { withFault } from "../web-api/router.ts"
import { withIds } from "../workspace/ids.ts"
import { postFor } from "../workspace/posting.ts"
import type { World } from "../world.ts"

const body = z.looseObject({
  response_type: z.enum(["ephemeral", "in_channel"]).default("ephemeral"),
  replace_original: z.boolean().default(false),
  delete_original: z.boolean().default(false),
  thread_ts: z.string().optional(),
})

/** The route `/response/TOKEN`, which needs no other credential than its token. */
export function responseRoutes(world: World, closing: AbortSignal): Hono {
  const app = new Hono()
  app.post("/:token", async (c) => {
    const text = await c.req.text()
    const run = () => answer(c, world, text)
    return await withFault(world.faults.takeWeb("response_url", undefined), { run, closing })
  })
  return app
}

function answer(c: Context, world: World, text: string): Response {
  const origin = world.responseUrls.use(c.req.param("token") ?? "")
  if (!origin) return c.json({ ok: false, error: "used_url" }, 404)
  const input = parse(text)
  const parsed = body.safeParse(input)
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

/** Without content the message is taken away. */
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
