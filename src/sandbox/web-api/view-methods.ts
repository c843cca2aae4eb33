// views.* and blocks.validate: modals and Home tabs, and a check of what an app would show.
import { z } from "zod"
import { validateMessage, validateView } from "../../blockkit/validate.ts"
import { viewJson } from "../workspace/view-json.ts"
import type { OpenView } from "../workspace/views.ts"
import type { World } from "../world.ts"
import { jsonArg, method, refuse, refuseBlocks, refuseView, type WebApiMethod, type WebApiReply } from "./method.ts"

const openArgs = z.object({ trigger_id: z.string(), view: jsonArg })
const updateArgs = z.object({
  view_id: z.string().optional(),
  external_id: z.string().optional(),
  hash: z.string().optional(),
  view: jsonArg,
})
const publishArgs = z.object({ user_id: z.string(), hash: z.string().optional(), view: jsonArg })

/** The methods by name. */
export const viewMethods: Readonly<Record<string, WebApiMethod>> = {
  "views.open": method({ args: openArgs, run: (args, world) => show(args, world, "open") }),
  "views.push": method({ args: openArgs, run: (args, world) => show(args, world, "push") }),
  "views.update": method({ args: updateArgs, run: updateView }),
  "views.publish": method({ args: publishArgs, run: publish }),
  "blocks.validate": method({
    token: "none",
    args: z.object({ blocks: jsonArg, message: jsonArg, view: jsonArg }).partial(),
    run: validate,
  }),
}

function show(args: z.infer<typeof openArgs>, world: World, how: "open" | "push"): WebApiReply {
  const { views } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  if (checked.view.type !== "modal") return refuse("invalid_arguments")
  if (isTaken(world, checked.view.external_id)) return refuse("duplicate_external_id")
  const trigger = world.triggers.redeem(args.trigger_id)
  if (!trigger.ok) return trigger
  const view = views[how](trigger.personId, checked.view)
  return view ? answerView(world, view) : refuse("push_limit_reached")
}

function updateView(args: z.infer<typeof updateArgs>, world: World): WebApiReply {
  const { views } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  const found = args.view_id === undefined ? views.byExternalId(args.external_id ?? "") : views.find(args.view_id)
  if (!found || found.definition.type !== checked.view.type) return refuse("not_found")
  if (args.hash !== undefined && args.hash !== found.hash) return refuse("hash_conflict")
  const view = views.update(found.id, checked.view)
  return view ? answerView(world, view) : refuse("not_found")
}

function publish(args: z.infer<typeof publishArgs>, world: World): WebApiReply {
  const { views, people } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  if (checked.view.type !== "home") return refuse("invalid_arguments")
  if (!people.has(args.user_id)) return refuse("user_not_found")
  const before = views.home(args.user_id)
  if (args.hash !== undefined && before && before.hash !== args.hash) return refuse("hash_conflict")
  return answerView(world, views.publish(args.user_id, checked.view))
}

function isTaken(world: World, externalId: string | undefined): boolean {
  return Boolean(externalId) && world.workspace.views.byExternalId(externalId ?? "") !== undefined
}

function answerView({ workspace }: World, view: OpenView): WebApiReply {
  return { ok: true, view: viewJson(workspace, view, {}) }
}

/** Checks blocks, a message or a view: exactly one of them. A missing `text` is no error. */
function validate(args: { blocks?: unknown; message?: unknown; view?: unknown }): WebApiReply {
  const given = [args.blocks, args.message, args.view].filter((one) => one !== undefined)
  if (given.length !== 1) return refuse("invalid_arguments")
  if (args.view !== undefined) return verdict(validateView(args.view))
  return verdict(validateMessage(args.message ?? { blocks: args.blocks }))
}

function verdict(checked: ReturnType<typeof validateView> | ReturnType<typeof validateMessage>): WebApiReply {
  return checked.ok || checked.code === "no_text" ? { ok: true } : refuseBlocks(checked)
}
