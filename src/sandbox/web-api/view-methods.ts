// views.*: modals and Home tabs.
import { z } from "zod"
import { validateView } from "../../blockkit/validate.ts"
import { viewJson } from "../workspace/view-json.ts"
import type { OpenView } from "../workspace/views.ts"
import type { World } from "../world.ts"
import { jsonArg, type Method, method, type Reply, refuse, refuseView } from "./method.ts"

const openArgs = z.object({ trigger_id: z.string(), view: jsonArg })
const updateArgs = z.object({
  view_id: z.string().optional(),
  external_id: z.string().optional(),
  hash: z.string().optional(),
  view: jsonArg,
})
const publishArgs = z.object({ user_id: z.string(), hash: z.string().optional(), view: jsonArg })

/** The methods by name. */
export const viewMethods: Readonly<Record<string, Method>> = {
  "views.open": method({ args: openArgs, run: (args, world) => show(args, world, "open") }),
  "views.push": method({ args: openArgs, run: (args, world) => show(args, world, "push") }),
  "views.update": method({ args: updateArgs, run: update }),
  "views.publish": method({ args: publishArgs, run: publish }),
}

function show(args: z.infer<typeof openArgs>, world: World, how: "open" | "push"): Reply {
  const { views } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  if (checked.view.type !== "modal") return refuse("invalid_arguments")
  if (isTaken(world, checked.view.external_id)) return refuse("duplicate_external_id")
  const trigger = world.triggers.redeem(args.trigger_id)
  if (!trigger.ok) return trigger
  const view = views[how](trigger.personId, checked.view)
  return view ? answer(world, view) : refuse("push_limit_reached")
}

function update(args: z.infer<typeof updateArgs>, world: World): Reply {
  const { views } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  const found = args.view_id === undefined ? views.byExternalId(args.external_id ?? "") : views.find(args.view_id)
  if (!found || found.definition.type !== checked.view.type) return refuse("not_found")
  if (args.hash !== undefined && args.hash !== found.hash) return refuse("hash_conflict")
  const view = views.update(found.id, checked.view)
  return view ? answer(world, view) : refuse("not_found")
}

function publish(args: z.infer<typeof publishArgs>, world: World): Reply {
  const { views, people } = world.workspace
  const checked = validateView(args.view)
  if (!checked.ok) return refuseView(checked)
  if (checked.view.type !== "home") return refuse("invalid_arguments")
  if (!people.has(args.user_id)) return refuse("user_not_found")
  const before = views.home(args.user_id)
  if (args.hash !== undefined && before && before.hash !== args.hash) return refuse("hash_conflict")
  return answer(world, views.publish(args.user_id, checked.view))
}

function isTaken(world: World, externalId: string | undefined): boolean {
  return Boolean(externalId) && world.workspace.views.byExternalId(externalId ?? "") !== undefined
}

function answer({ workspace }: World, view: OpenView): Reply {
  return { ok: true, view: viewJson(workspace, view, {}) }
}
