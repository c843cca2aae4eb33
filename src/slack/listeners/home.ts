// The Home tab: opened, and rejected from. Approving from it goes through Details.
import { z } from "zod"
import { oneIdentity } from "../../domain/person.ts"
import { say } from "../text/spans.ts"
import { readTarget } from "../views/button-values.ts"
import { toldView } from "../views/details.ts"
import { acknowledge, type Desk, type Listener } from "./listener-context.ts"
import { readClick } from "./payloads.ts"
import { askForm } from "./votes.ts"

const opened = z.object({ user: z.string().min(1), tab: z.string().default("home") })

/** A person opened the app. A Home that cannot be shown now is shown with the next change. */
export async function onHome(desk: Desk, event: unknown, team: string): Promise<void> {
  const { user, tab } = opened.parse(event)
  if (tab !== "home") return
  try {
    await desk.inbound.openedHome(oneIdentity(desk.identity, { team, user }))
  } catch (error) {
    desk.log.warn("home-failed", { user, error })
  }
}

/** Reject was pressed on the Home: its form asks once more, and takes a reason. */
export const onHomeReject: Listener = async (desk, body, ack) => {
  const click = readClick(body, desk.identity)
  const target = readTarget(click.value)
  await acknowledge(desk, ack)
  if (target === null) return null
  return async () => {
    const form = await desk.inbound.rejection(target.caseId, target.route)
    if (form !== null) return askForm(desk, { click, target, verb: "reject", form })
    const view = toldView([say("This does not wait any more.")])
    await desk.call("views.open", (client) => client.views.open({ trigger_id: click.triggerId, view }))
  }
}
