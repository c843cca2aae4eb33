// What the tests of the flow start from: an approval on its cards, and presses as Slack would bring them.
import { type Case, caseIdOf } from "../../src/domain/case/case.ts"
import type { Approval } from "../../src/domain/content/approval.ts"
import type { Policy } from "../../src/domain/policy/policy.ts"
import { poll } from "../../src/flow/poll/poll.ts"
import type { Interaction } from "../../src/flow/ports/interaction.ts"
import type { Answer, Decided } from "../../src/flow/ports/reply.ts"
import type { Ports, Resolved, TakenBefore } from "../../src/flow/ports.ts"
import { sweep } from "../../src/flow/resolve/reconcile.ts"
import { decideInteraction } from "../../src/flow/vote/decide.ts"
import { carryOut } from "../../src/flow/vote/interactions.ts"
import { anApproval, aPolicy, aRequirement, aRule, aTiming, installation } from "../support/builders.ts"
import { createWorld, type World, type WorldOptions } from "../support/memory-ports.ts"
import { aPress, type PressChanges } from "../support/presses.ts"

/** The case of an approval as the server holds it. */
export function caseOf(world: World, approvalId = "a-1"): Case {
  return world.server.case(caseIdOf(installation, "main", approvalId))
}

/** Polls an approval and posts its cards. Returns its case. */
export async function announced(world: World, approval: Approval = anApproval()): Promise<Case> {
  world.platform.put(approval)
  await poll(world.ports, "main")
  await world.queue.runDue(world.ports)
  return caseOf(world, approval.id)
}

/** A world with this approval announced. */
export async function announcedWorld(options: WorldOptions = {}, approval?: Approval): Promise<World> {
  const world = createWorld(options)
  await announced(world, approval)
  return world
}

/** Polls another approval, which the platform names beside those that a test is about. */
export async function beside(world: World): Promise<Case> {
  return announced(world, anApproval({ id: "a-other" }))
}

/**
 * Writes the ticket of a press and carries it out, as a listener does. Returns what the person was told, if anything,
 * and the case.
 */
export async function carried(
  world: World,
  press: Interaction,
  ports: Ports = world.ports,
): Promise<{ readonly answers: readonly Answer[]; readonly case: Case }> {
  const before = world.chat.told.length
  await carryOut(ports, await ports.tickets.write(press))
  const answers = world.chat.told.slice(before).map((one) => one.answer)
  return { answers, case: world.server.case(press.target.caseId) }
}

/** Decides an interaction, and lets a job present its case right away. */
export function decideOn(ports: Ports, press: Interaction, taken?: TakenBefore): Promise<Decided> {
  return decideInteraction({ ...ports, jobs: { ...ports.jobs, heldFor: press.target.caseId } }, press, taken)
}

/** A team's row and a member's row about one call, as AgentOS 2.7 writes them. */
export function teamAndMember(): readonly [Approval, Approval] {
  const call = aRequirement("delete_table", { tool_args: { table: "customers" } })
  const named = { ...call, member_run_id: "run-of-member", member_agent_name: "Member" }
  const own = aRequirement("send_email")
  const team = { sourceType: "team", teamId: "team-1", agentId: null, sourceName: "The Team" }
  return [
    anApproval({ id: "a-team", runId: "run-of-team", toolName: "send_email", requirements: [own, named], ...team }),
    anApproval({ id: "a-member", runId: "run-of-member", requirements: [call], sourceName: "Member" }),
  ]
}

/** A press on the card of `a-1`, carried out. */
export async function pressed(world: World, changes: PressChanges = {}, ports: Ports = world.ports) {
  return carried(world, aPress(world, caseOf(world), changes), ports)
}

/** A rule that two of U1, U2 and U3 have to agree under. */
export const twoOfThree = aRule({ quorum: 2, approvers: ["U1", "U2", "U3"].map((id) => ({ kind: "user", id })) })

/** A fault of the platform: it answers so, without effect. */
export function answering(answer: Resolved) {
  return { kind: "answer", answer } as const
}

/** A world with a verdict of U1 on its way whose fate nobody knows: the platform carried it out (`applied`) or not. */
export async function unheard(applied = false): Promise<World> {
  const world = await announcedWorld()
  world.platform.failResolve({ kind: "unheard", applied })
  world.platform.beforeResolve(() => world.platform.failGet("timeout"))
  await pressed(world)
  return world
}

/** The kinds of the ledger's entries of a case, in order. */
export function ledgerKinds(world: World, approvalId = "a-1"): readonly string[] {
  const caseId = caseIdOf(installation, "main", approvalId)
  return world.server.ledger.filter((entry) => entry.caseId === caseId).map((entry) => entry.kind)
}

/** Another process takes up what was left, until nothing is left. */
export async function takeUp(world: World, ports: Ports = world.ports): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await sweep(ports)
    await world.queue.runAll(ports)
  }
}

/**
 * What everybody can see at the end: cases, messages, the platform, the ledger. Without what differs from run to run by
 * itself.
 */
export function endOf(world: World) {
  const cases = world.server.cases().map((one) => ({
    related: one.related.map(({ caseId, of, link }) => `${caseId} ${of} ${link === null}`),
    informed: one.informed,
    approval: one.approvalId,
    state: one.state,
    revision: one.revision.number,
    votes: one.votes.map((vote) => `${vote.verb} ${vote.person.user}`),
    decision: one.decision?.id ?? null,
    outcome: one.outcome === null ? null : { ...one.outcome, at: 0 },
    resumption: one.resumption === null ? null : { ...one.resumption, at: 0 },
    admitted: one.admission.given,
    cards: one.cards.map(({ route, place, summary, told, lease, trouble }) => ({
      route,
      summary,
      place: place !== null,
      told,
      lease,
      trouble: trouble?.why ?? null,
    })),
  }))
  const threads = world.chat.threads.map(
    ({ place, first, due, status }) => `${place.channel} ${first} ${due} ${status}`,
  )
  const messages = world.chat.messages
    .filter((one) => !one.deleted)
    .map(({ place, model, lines }) => {
      const said = lines.map(({ number, event, answer }) => `${number} ${event.kind} ${answer?.kind ?? ""}`)
      return `${place.channel} ${model.approvalId} r${model.revision} ${model.status.kind}${model.blank === true ? " blank" : ""}: ${said.join(", ")}`
    })
    .toSorted()
  const summaries = world.chat.summaries
    // One whose cases all got cards of their own says nothing, and need not be there.
    .filter((one) => !one.deleted && one.model.waiting.length + one.model.ended.length > 0)
    .map(({ place, model, lines }) => {
      const ended = model.ended.map((one) => `${one.approvalId} ${one.status.kind}`)
      const said = lines.map(({ caseId, number, event }) => `${caseId} ${number} ${event.kind}`)
      return { channel: place.channel, waiting: model.waiting.length, ended, said }
    })
  const uncounted = ["sent", "unheard", "attempted", "missed", "summarised"]
  // A requester's card may be placed before or after the run went on: how many cards there are counts.
  const placedFirst = (kinds: readonly string[]) =>
    kinds.toSorted((a, b) => Number(b === "placed") - Number(a === "placed"))
  const ledger = world.server
    .cases()
    .map((one) => placedFirst(ledgerKinds(world, one.approvalId).filter((kind) => !uncounted.includes(kind))))
  // Two processes that ask at once may post twice: then both messages count.
  const questions = world.chat.questions.map(({ place, question }) => {
    return `${place.channel} ${question.text} ${question.answer?.text ?? ""}`
  })
  return {
    cases,
    messages,
    threads,
    questions: [...new Set(questions)].toSorted(),
    answers: [...new Set(world.chat.answersTold.map(({ to, text }) => `${to} ${text}`))],
    summaries,
    ledger,
    sums: world.server.sums.all(),
    effects: world.platform.effects,
    ran: world.runs.executions,
    tickets: world.tickets.waiting.length,
  }
}

/** A minute, in ms. */
export const minute = 60_000

/** A policy of one rule with this timing. */
export function timed(changes: Parameters<typeof aTiming>[0], rule: Parameters<typeof aRule>[0] = {}): Policy {
  return aPolicy([aRule({ ...rule, timing: aTiming(changes) })])
}

/** An announced approval under this policy. */
export function waiting(policy: Policy): Promise<World> {
  return announcedWorld({ policy })
}

/** Time goes by, and whatever it brings about is carried out. */
export async function pass(world: World, ms: number): Promise<void> {
  world.clock.forward(ms)
  await world.queue.runDue(world.ports)
}

/** The kinds of the lines in the threads of a channel, after the one that says who was asked. */
export function lines(world: World, channel = "C1"): readonly string[] {
  const found = world.chat.messages.filter((one) => one.place.channel === channel)
  return found.flatMap((message) => message.lines.map(({ event }) => event.kind)).filter((kind) => kind !== "opened")
}

/** The status that the first card of a channel shows. */
export function statusOn(world: World, channel = "C1"): unknown {
  return world.chat.messages.find((one) => one.place.channel === channel)?.model.status
}
