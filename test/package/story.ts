// The main story, whatever the bot is installed as: a program asks, a card hangs, somebody presses, the record is
// decided.
import type { Sandbox } from "../../src/sandbox.ts"
import type { RunningService } from "../../src/service.ts"
import { call } from "../service/a-service.ts"
import { card, press, type Seen, settled } from "../stories/acts.ts"
import { type Row, sandboxCast } from "../stories/world.ts"

/** Plays it about this user; these people approve. Gives back the platform's record, and the card as it settled. */
export async function playStory(
  here: { readonly sandbox: Sandbox; readonly service: RunningService },
  user: string,
  people: readonly string[] = [sandboxCast.bob],
): Promise<{ readonly row: Row; readonly end: Seen }> {
  const scopes = ["approvals:create", "approvals:read"]
  const token = here.service.mintServiceAccount({ name: `agent-${user.toLowerCase()}`, scopes })
  const asked = { tool_name: "delete_user_data", tool_args: { user_id: user } }
  const { body } = await call(here.service, "POST /approvals", { token, json: asked })
  const open = await card(here, user)
  for (const person of people) await press(here, person, open, "approve")
  const end = await settled(here, user)
  const { id } = body as Row
  return { row: (await call(here.service, `GET /approvals/${id}`, { token })).body as Row, end }
}
