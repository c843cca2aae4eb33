// The review of broken glass: a reviewer of a rule says whether it was right. That is not whoever broke it or asked for
// it, nor somebody who stands in for whoever broke it, or the other way round.

import { cardModelOf } from "../../domain/case/card-model.ts"
import { type Case, rulesToReview } from "../../domain/case/case.ts"
import { isUsed } from "../../domain/case/steps.ts"
import { hasVisibleText } from "../../domain/content/visible-text.ts"
import { addGlassReview } from "../../domain/glass/glass.ts"
import { humanKey, idsOf } from "../../domain/people/human.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { matchRequester } from "../../domain/people/requester.ts"
import { mayDecideUnder } from "../../domain/policy/judge.ts"
import { advance, type CommitStep } from "../case/commit.ts"
import { linkedByAbsence } from "../case/orders.ts"
import { approversOf, findRequester, freshMs, type JudgePorts } from "../people/eligibility.ts"
import { withNames } from "../people/names.ts"
import { toReviewers, withReviewsClosed } from "../people/open-reviews.ts"
import type { ReviewFormOrAnswer } from "../ports/inbound.ts"
import type { ReviewInteraction } from "../ports/interaction.ts"
import type { Answer, Decided, ReviewRefusal } from "../ports/reply.ts"
import type { Ports } from "../ports.ts"
import { placeOf } from "./checks.ts"
import { answered, caseOf, type Or } from "./weigh.ts"

/** Notes what a reviewer says. A second run of the same press gives the same answer. */
export async function reviewGlass(ports: Ports, current: Case, interaction: ReviewInteraction): Promise<Decided> {
  if (isUsed(current, interaction.interaction) || (await ports.store.consumed(interaction.interaction)))
    return { answer: reviewedAnswer(current, interaction), case: current }
  const judged = await judgeReview(ports, current, interaction)
  if (judged.kind === "answered") return judged.decided
  if (!interaction.right && !hasVisibleText(interaction.reason ?? ""))
    return { answer: { kind: "reason-missing", verb: "reject" }, case: current }
  const done = await advance(
    ports,
    current,
    (now) => reviewStep(ports, now, interaction, judged.rules),
    interaction.interaction,
  )
  if (done.kind === "duplicate") return { answer: reviewedAnswer(current, interaction), case: current }
  if (done.kind === "unchanged") return { answer: refusedReview("none-owed"), case: done.case }
  await ports.jobs.present(current.id)
  return { answer: reviewedAnswer(done.case, interaction), case: done.case }
}

/** What a press for the form of a review gets: the form, if the same person may say so now. */
export async function askForReview(ports: Ports, press: ReviewInteraction): Promise<ReviewFormOrAnswer> {
  const seen = await caseOf(ports, press, {})
  const judged = seen.kind === "answered" ? seen : await judgeReview(ports, seen.case, press)
  if (judged.kind === "answered") return { kind: "answer", answer: judged.decided.answer }
  if (seen.kind === "answered") return { kind: "answer", answer: seen.decided.answer }
  return { kind: "form", model: await withNames(ports, cardModelOf(seen.case, press.target.route)) }
}

function reviewedAnswer(current: Case, { right }: ReviewInteraction): Answer {
  return { kind: "glass-reviewed", right, left: rulesToReview(current).length }
}

function refusedReview(why: ReviewRefusal): Answer {
  return { kind: "review-refused", why }
}

/** Where it was pressed (R18), and which rules this person may review; or the answer that says why not. */
async function judgeReview(
  ports: Ports,
  current: Case,
  interaction: ReviewInteraction,
): Promise<Or<{ readonly rules: readonly string[] }>> {
  const placed = await placeOf(ports, current, interaction)
  if (!placed.ok) return answered(placed.answer, current)
  // A review lets the glass be broken once more, so it needs the newest state.
  if (ports.freshness.standing().kind === "rolled-back") return answered({ kind: "rolled-back" }, current)
  const judged = await reviewableBy(ports, current, interaction.person)
  return typeof judged === "string" ? answered(refusedReview(judged), current) : { kind: "on", rules: judged }
}

/** The rules whose broken glass this person may review now, or why they may review none. */
async function reviewableBy(
  ports: JudgePorts & Pick<Ports, "orders">,
  current: Case,
  id: SlackId,
): Promise<readonly string[] | ReviewRefusal> {
  const { glass, state } = current
  const owed = rulesToReview(current)
  if (glass === undefined || owed.length === 0) return "none-owed"
  if (state !== "settled") return "unsettled"
  const { identities } = ports.policy
  if (humanKey(id, identities) === humanKey(glass.by, identities)) return "breaker"
  const person = await ports.people.look(id, freshMs)
  if (await isRequester(ports, current, person)) return "requester"
  const linked = [...(glass.linked ?? []), ...linkedByAbsence(ports, idsOf(glass.by, identities))]
  const human = humanKey(id, identities)
  if (linked.some((key) => humanKey(slackIdOf(key), identities) === human)) return "linked"
  const rules = ports.policy.rules.filter(({ name }) => owed.includes(name))
  const { byRule, conflicts } = await approversOf(ports, { rules: rules.map(toReviewers), covered: true })
  const key = personKey(person)
  const own = rules.filter((rule) => byRule.get(rule.name)?.has(key) === true && mayDecideUnder(rule, person))
  return own.length === 0 || conflicts.has(key) ? "not-reviewer" : own.map(({ name }) => name)
}

async function isRequester(ports: JudgePorts, { summary }: Case, person: Person): Promise<boolean> {
  const { identities } = ports.policy
  const known = await findRequester(ports, summary.requester, identities)
  return matchRequester({ userId: summary.requester, voter: person, identities, known }) === "same"
}

/** The step that notes a review, and takes the case out of the open reviews of these rules; null if none is owed. */
async function reviewStep(
  ports: Ports,
  now: Case,
  { person, name, right, reason, interaction }: ReviewInteraction,
  judged: readonly string[],
): Promise<CommitStep | null> {
  const rules = rulesToReview(now).filter((rule) => judged.includes(rule))
  if (now.state !== "settled" || rules.length === 0) return null
  const said = { rules, person, name, right, reason: right ? null : reason, at: ports.clock() }
  const step = addGlassReview(now, said, interaction)
  const { reserved, changes } = await withReviewsClosed(ports, step.next, rules)
  const { reserved: _before, ...next } = step.next
  return { ...step, next: reserved === undefined ? next : { ...next, reserved }, sums: changes }
}
