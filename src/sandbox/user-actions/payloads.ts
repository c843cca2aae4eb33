// The parts that all interaction payloads share, and what a person sees if the app does not answer.
import type { DeliveryAck, DeliveryFailure } from "../delivery/delivery.ts"
import type { ResponseOrigin } from "../limits/response-urls.ts"
import type { SlackAccount } from "../workspace/people.ts"
import { gridOf } from "../workspace/workspace.ts"
import type { World } from "../world.ts"

/** How an interaction ended for the person. */
export type InteractionOutcome =
  /** `errors`: what the app said is wrong with a form, by block_id; empty if the app took the form. */
  | { readonly ok: true; readonly ack: unknown; readonly errors: Readonly<Record<string, string>> }
  | {
      readonly ok: false
      readonly reason: InteractionFailure
      readonly detail: string
      readonly errors: Readonly<Record<string, string>>
    }

/** Why an interaction failed: no ack, refused by Slack's own check of the form, or not possible inside a thread. */
export type InteractionFailure = DeliveryFailure | "form_refused" | "not_in_threads" | "bad_answer"

/**
 * Who acted, and where the app is installed. As in Slack Connect, `team` is the app's workspace even if the person
 * belongs to another one; only `user.team_id` tells theirs. In a grid, `user.team_id` is the organization's id for its
 * own people (`docs/slack-facts.md` 7.2).
 */
export function actorOf({ workspace }: World, person: SlackAccount): Record<string, unknown> {
  const { id, domain, enterprise } = workspace.team
  const team = person.teamId === id ? (enterprise?.id ?? id) : person.teamId
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: team },
    team: { id, domain, ...gridOf(workspace) },
    enterprise: enterprise ?? null,
    is_enterprise_install: false,
    api_app_id: workspace.app.id,
    token: "sandbox-verification-token",
  }
}

/** A new address at which the app can answer the interaction. */
export function responseUrl(world: World, origin: ResponseOrigin): string {
  return `${world.responsesAt()}/response/${world.responseUrls.issue(origin)}`
}

/** The outcome of an acknowledged interaction; or a failure, which the person sees as a notice. */
export function outcomeOf(world: World, person: SlackAccount, ack: DeliveryAck): InteractionOutcome {
  return ack.ok ? { ok: true, ack: ack.payload, errors: {} } : failed(world, person, ack)
}

/** The failure if Slack cannot carry out an answer. */
export function badAnswer(world: World, person: SlackAccount, detail: string): InteractionOutcome {
  return failed(world, person, { reason: "bad_answer", detail })
}

function failed(
  { workspace }: World,
  person: SlackAccount,
  { reason, detail }: { readonly reason: InteractionFailure; readonly detail: string },
): InteractionOutcome {
  workspace.notify(person.id, `${workspace.app.name} did not respond: ${detail}. Please try again.`)
  return { ok: false, reason, detail, errors: {} }
}
