// A person submits or closes a modal, and Slack carries out what the app answers.
import { z } from "zod"
import { blocksWithin } from "../../blockkit/elements-of.ts"
import { slackMessages } from "../../blockkit/issues.ts"
import { validateView } from "../../blockkit/validate.ts"
import { SandboxError } from "../workspace/error.ts"
import type { SlackAccount } from "../workspace/people.ts"
import { viewJson } from "../workspace/view-json.ts"
import type { OpenView } from "../workspace/views.ts"
import { personOf } from "../workspace/workspace.ts"
import type { World } from "../world.ts"
import { actorOf, badAnswer, type InteractionOutcome, outcomeOf } from "./payloads.ts"
import { type Choices, formErrors, stateOf } from "./values.ts"

const answer = z
  .union([
    z.object({ response_action: z.literal("errors"), errors: z.record(z.string(), z.string()) }),
    z.object({ response_action: z.enum(["update", "push"]), view: z.unknown() }),
    z.object({ response_action: z.literal("clear") }),
    z.object({ response_action: z.undefined().optional() }),
  ])
  .optional()

/**
 * Submits the person's topmost modal with these values. If Slack's client itself would refuse them (an empty required
 * field), nothing is sent. Then does what the app's `response_action` says; without one, the modal closes. Throws
 * `SandboxError` if the modal is not the topmost.
 */
export async function submit(
  world: World,
  personId: string,
  viewId: string,
  values: Choices = {},
): Promise<InteractionOutcome> {
  const person = personOf(world.workspace, personId)
  const view = topmost(world, personId, viewId)
  const { blocks } = view.definition
  const state = stateOf(blocks, values)
  const errors = formErrors(blocks, values)
  if (Object.keys(errors).length > 0) {
    world.workspace.views.setErrors(viewId, errors)
    return { ok: false, reason: "form_refused", detail: "the form is not complete", errors }
  }
  const payload = {
    type: "view_submission",
    ...actorOf(world, person),
    trigger_id: world.triggers.issue(personId),
    view: viewJson(world.workspace, view, state),
    response_urls: [],
  }
  const ack = await world.delivery.send({ kind: "interactive", payload })
  return ack.ok ? carryOut(world, person, view, ack.payload) : outcomeOf(world, person, ack)
}

/** Closes the person's modal. The app is told only if the view asked for it. */
export async function closeView(world: World, personId: string, viewId: string): Promise<InteractionOutcome> {
  const person = personOf(world.workspace, personId)
  const view = topmost(world, personId, viewId)
  const { definition } = view
  const clears = definition.type === "modal" && definition.clear_on_close === true
  if (clears) world.workspace.views.clear(personId)
  else world.workspace.views.pop(viewId)
  if (definition.type !== "modal" || !definition.notify_on_close) return { ok: true, ack: undefined, errors: {} }
  const told = { view: viewJson(world.workspace, view, {}), is_cleared: clears }
  const payload = { type: "view_closed", ...actorOf(world, person), ...told }
  return outcomeOf(world, person, await world.delivery.send({ kind: "interactive", payload }))
}

function carryOut(world: World, person: SlackAccount, view: OpenView, ack: unknown): InteractionOutcome {
  const { views } = world.workspace
  const parsed = answer.safeParse(ack)
  if (!parsed.success) return badAnswer(world, person, "the answer to the form is not understood")
  const done: InteractionOutcome = { ok: true, ack, errors: {} }
  switch (parsed.data?.response_action) {
    case undefined:
      views.pop(view.id)
      return done
    case "clear":
      views.clear(person.id)
      return done
    case "errors":
      return showErrors(world, person, view, parsed.data.errors)
    case "update":
    case "push":
      return showNext(world, person, view, { how: parsed.data.response_action, view: parsed.data.view }) ?? done
  }
}

function showErrors(
  world: World,
  person: SlackAccount,
  view: OpenView,
  errors: Readonly<Record<string, string>>,
): InteractionOutcome {
  const known = new Set(
    blocksWithin(view.definition.blocks).flatMap(({ block }) => (block.type === "input" ? [block.block_id] : [])),
  )
  const unknown = Object.keys(errors).filter((blockId) => !known.has(blockId))
  if (unknown.length > 0) return badAnswer(world, person, `no input block is called ${unknown.join(", ")}`)
  world.workspace.views.setErrors(view.id, errors)
  return { ok: true, ack: { response_action: "errors", errors }, errors }
}

function showNext(
  world: World,
  person: SlackAccount,
  view: OpenView,
  next: { readonly how: "update" | "push"; readonly view: unknown },
): InteractionOutcome | undefined {
  const checked = validateView(next.view)
  if (!checked.ok) return badAnswer(world, person, slackMessages(checked.errors).join("; "))
  const { views } = world.workspace
  const shown = next.how === "update" ? views.update(view.id, checked.view) : views.push(person.id, checked.view)
  return shown ? undefined : badAnswer(world, person, `the view could not be shown: ${next.how}`)
}

function topmost({ workspace }: World, personId: string, viewId: string): OpenView {
  const top = workspace.views.stack(personId).at(-1)
  if (top?.id !== viewId) throw new SandboxError("no_such_thing", `${personId} has no modal ${viewId} in front`)
  return top
}
