// auth.test, apps.connections.open and blocks.validate: the methods around an app itself.
import { z } from "zod"
import { validateMessage, validateView } from "../../blockkit/validate.ts"
import { gridOf } from "../user-actions/payloads.ts"
import { jsonArg, type Method, method, type Reply, refuse, refuseBlocks } from "./method.ts"

const nothing = z.object({})

/** The methods by name. */
export const authMethods: Readonly<Record<string, Method>> = {
  "auth.test": method({
    args: nothing,
    run: (_args, { workspace, install, url }) => ({
      ok: true,
      url: `${url()}/`,
      team: workspace.team.name,
      team_id: workspace.team.id,
      user: workspace.people.get(workspace.app.botUserId)?.name,
      user_id: workspace.app.botUserId,
      bot_id: workspace.app.botId,
      app_id: workspace.app.id,
      ...gridOf(workspace),
      is_enterprise_install: install.orgWide,
    }),
  }),
  "apps.connections.open": method({
    token: "app",
    args: nothing,
    run: (_args, world) => ({ ok: true, url: world.socketUrl() }),
  }),
  "blocks.validate": method({
    token: "none",
    args: z.object({ blocks: jsonArg, message: jsonArg, view: jsonArg }).partial(),
    run: validate,
  }),
}

/** Exactly one of the three; a missing `text` is not flagged. */
function validate(args: { blocks?: unknown; message?: unknown; view?: unknown }): Reply {
  const given = [args.blocks, args.message, args.view].filter((one) => one !== undefined)
  if (given.length !== 1) return refuse("invalid_arguments")
  if (args.view !== undefined) return verdict(validateView(args.view))
  return verdict(validateMessage(args.message ?? { blocks: args.blocks }))
}

function verdict(checked: ReturnType<typeof validateView> | ReturnType<typeof validateMessage>): Reply {
  return checked.ok || checked.code === "no_text" ? { ok: true } : refuseBlocks(checked)
}
