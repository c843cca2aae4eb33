// Mention: who is asked by their e-mail is named by the Slack id that it is pinned to, so that Slack notifies them.
import type { Asked, CaseEvent } from "../domain/case/event.ts"
import { type IdentifyPorts, pinnedUser } from "./identify.ts"
import { isPortError } from "./ports.ts"

/** The events as they are told. An address that is contested, means nobody or cannot be looked up now stays as it is. */
export function mentionPinned(ports: IdentifyPorts, events: readonly CaseEvent[]): Promise<readonly CaseEvent[]> {
  return Promise.all(
    events.map(async (event) => {
      if (!("asked" in event)) return event
      return { ...event, asked: await Promise.all(event.asked.map((one) => withIds(ports, one))) }
    }),
  )
}

async function withIds(ports: IdentifyPorts, asked: Asked): Promise<Asked> {
  const ids = await Promise.all(
    asked.approvers.map(async (name) => (name.includes("@") ? ((await userOf(ports, name)) ?? name) : name)),
  )
  return { ...asked, approvers: [...new Set(ids)] }
}

/** Nobody waits for a line because Slack or Redis does not say whom it could mention. */
async function userOf(ports: IdentifyPorts, email: string): Promise<string | null> {
  try {
    return await pinnedUser(ports, email)
  } catch (error) {
    if (isPortError(error)) return null
    throw error
  }
}
