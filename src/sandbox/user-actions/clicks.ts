// A person presses a button or chooses something in a message, a modal or the Home tab.

import type { Block } from "../../blockkit/blocks.ts"
import { elementsOf, type PlacedElement } from "../../blockkit/elements-of.ts"
import type { ResponseOrigin } from "../limits/response-urls.ts"
import { SandboxError } from "../workspace/error.ts"
import { messageJson } from "../workspace/message-json.ts"
import type { PostedMessage } from "../workspace/messages.ts"
import { viewJson } from "../workspace/view-json.ts"
import { channelFor, personOf } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import { actorOf, type InteractionOutcome, outcomeOf, responseUrl } from "./payloads.ts"
import { type Choice, type Choices, chosen, stateOf } from "./values.ts"

/** Where somebody clicks: a message, also an ephemeral one, or the id of a modal or Home tab. */
export type ClickPlace = { readonly channel: string; readonly ts: string } | string

/** What else a click may say. */
export interface ClickOptions {
  /** The block, if several hold the same action_id. Default: the first. */
  readonly blockId?: string | undefined
  /** What is chosen, if the element is a menu. */
  readonly choose?: Choice | undefined
  /** The contents of the view's inputs at the click. */
  readonly values?: Choices | undefined
  /** An earlier version of the message, if the person clicks on a screen that is out of date. */
  readonly seen?: PostedMessage
}

interface Target {
  readonly blocks: readonly Block[]
  readonly fields: (values: Choices) => Record<string, unknown>
  readonly origin: ResponseOrigin | undefined
}

/**
 * Presses the element with this action_id for the person. Resolves when the app has acknowledged, or with the failure
 * that the person sees. Throws `SandboxError` if the person cannot see the place, or if there is no such element.
 */
export async function click(
  world: World,
  personId: string,
  place: ClickPlace,
  actionId: string,
  options: ClickOptions = {},
): Promise<InteractionOutcome> {
  const person = personOf(world.workspace, personId)
  const target =
    typeof place === "string" ? inView(world, personId, place) : inMessage(world, personId, place, options.seen)
  const { element, block } = findElement(target.blocks, actionId, options.blockId)
  const action_ts = world.workspace.ids.ts()
  const payload = {
    type: "block_actions",
    ...actorOf(world, person),
    trigger_id: world.triggers.issue(personId),
    ...target.fields(options.values ?? {}),
    ...(target.origin ? { response_url: responseUrl(world, target.origin) } : {}),
    actions: [{ action_id: actionId, block_id: block.block_id, ...chosen(element, options.choose), action_ts }],
  }
  return outcomeOf(world, person, await world.delivery.send({ kind: "interactive", payload }))
}

function inMessage(
  world: World,
  personId: string,
  place: Exclude<ClickPlace, string>,
  seen: PostedMessage | undefined,
): Target {
  const { workspace } = world
  const channel = channelFor(workspace, personId, place.channel)
  const hidden = workspace.ephemerals.find(place.channel, place.ts)
  const ephemeral = hidden?.personId === personId ? hidden : undefined
  const message = seen ?? ephemeral ?? workspace.messages.find(place.channel, place.ts)
  if (!message) throw new SandboxError("no_such_thing", `There is no message ${place.ts} in ${place.channel}`)
  const { ts, threadTs } = message
  const isEphemeral = ephemeral !== undefined
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs }
  return {
    blocks: message.blocks,
    origin: { personId, channelId: channel.id, message: { ts, threadTs, ephemeral: isEphemeral } },
    fields: (values) => ({
      container: { type: "message", message_ts: ts, channel_id: channel.id, is_ephemeral: isEphemeral, ...thread },
      channel: { id: channel.id, name: channel.kind === "im" ? "directmessage" : channel.name },
      ...(ephemeral ? {} : { message: messageJson(workspace, message, { metadata: true }) }),
      state: { values: stateOf(message.blocks, values) },
    }),
  }
}

function inView({ workspace }: World, personId: string, viewId: string): Target {
  const view = workspace.views.find(viewId)
  if (!view) throw new SandboxError("no_such_thing", `There is no open view ${viewId}`)
  if (view.personId !== personId) throw new SandboxError("not_visible", `View ${viewId} is not ${personId}'s`)
  const { blocks } = view.definition
  return {
    blocks,
    origin: undefined,
    fields: (values) => ({
      container: { type: "view", view_id: viewId },
      view: viewJson(workspace, view, stateOf(blocks, values)),
    }),
  }
}

function findElement(blocks: readonly Block[], actionId: string, blockId: string | undefined): PlacedElement {
  const found = elementsOf(blocks).find(
    ({ element, block }) => element.action_id === actionId && (blockId ?? block.block_id) === block.block_id,
  )
  if (!found) throw new SandboxError("no_such_thing", `There is nothing called ${actionId} to press here`)
  return found
}
