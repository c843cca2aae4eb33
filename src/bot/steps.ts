// Binds the queue's jobs to the flow's steps, and measures these and the interactions.

import { noProposals } from "../domain/rule/proposal.ts"
import { isRepeat } from "../flow/again/repeat.ts"
import { checkCards, checkGroups, checkReviews, createAddressCheck, createRouteCheck } from "../flow/card/check.ts"
import { show } from "../flow/card/deliver.ts"
import { summarise } from "../flow/card/summary.ts"
import { createOrderCheck } from "../flow/case/orders.ts"
import { carryOutDeadlines } from "../flow/deadline/deadlines.ts"
import { createForgetting, createRetaining } from "../flow/deadline/retain.ts"
import { createAbsenceTeller, createStopTeller } from "../flow/order/tell.ts"
import { createAuditLook } from "../flow/poll/audits.ts"
import { notePoll, poll } from "../flow/poll/poll.ts"
import { alarmOnce, tellPollTroubles } from "../flow/poll/poll-troubles.ts"
import { createSessionLook } from "../flow/poll/sessions.ts"
import { lookForUnasked } from "../flow/poll/unasked.ts"
import type { Inbound } from "../flow/ports/inbound.ts"
import { FlowError, type Ports } from "../flow/ports.ts"
import { refreshHomes } from "../flow/query/home.ts"
import { reconcile, sweep } from "../flow/resolve/reconcile.ts"
import { resolve } from "../flow/resolve/send.ts"
import { createWatch } from "../flow/resume/drift.ts"
import { resume, resumeAtOnce } from "../flow/resume/resume.ts"
import { carryOut } from "../flow/vote/interactions.ts"
import type { ProcessMeter } from "../measure/meter.ts"
import { causeOf } from "../platform/errors.ts"
import type { StepResult, Steps } from "../queue/steps.ts"
import type { Store } from "../store/store.ts"
import { pollBuiltIn, tellProposals } from "./built-in.ts"
import type { Current } from "./current.ts"
import type { SendWebhook } from "./webhooks/open-webhooks.ts"

/** If this replica must leave a job to another, it offers the job again after this many ms. */
const otherReplicaMs = 250

/**
 * Binds each job to its step. A step runs under the config that is active when it begins. Other replicas do jobs that
 * this one may not do (R16).
 */
export function stepsOf(options: {
  readonly current: Current
  readonly store: Store
  readonly retentionMs: number | null
  readonly meter: ProcessMeter
  /** Epoch ms. */
  readonly startedAt: number
  /** How often we look for runs that nobody is asked about, in ms. Default: five minutes. */
  readonly unaskedMs: number | undefined
  readonly send: SendWebhook
}): Steps {
  const { current, store, retentionMs, meter, startedAt, unaskedMs, send } = options
  const { ports } = current
  const watch = createWatch(ports)
  const survey = createSessionLook(ports)
  const checkRoutes = createRouteCheck()
  const checkAddresses = createAddressCheck()
  const drawOrders = createOrderCheck()
  const tellStops = createStopTeller()
  const tellAbsences = createAbsenceTeller()
  const forget = createForgetting()
  const retain = createRetaining()
  const alarm = alarmOnce(ports().alarm, ports().clock)
  const audits = createAuditLook(() => ({ ...ports(), alarm }))
  const outdated = async () => (await current.look()) !== null
  const ifActive = async (step: (now: Ports) => Promise<StepResult>): Promise<StepResult> =>
    (await outdated()) ? { againInMs: otherReplicaMs } : step(ports())
  const ifOurs = (step: (now: Ports) => Promise<StepResult>) => ifActive((now) => step(now).catch(leave))
  return {
    poll: async (instance) => {
      if (await outdated()) return
      const now = ports()
      if (!now.platforms.has(instance)) return
      const run = (onPage: () => Promise<void>) =>
        meter.poll(instance, () =>
          poll({ ...now, alarm }, instance, {
            round: survey(instance),
            onPage,
            isRepeat: (...call) => isRepeat(now, ...call),
          }),
        )
      await notePoll(now, { instance, run, wordsOf: causeOf })
      await audits(instance)
    },
    webhook: send,
    sweep: async () => {
      if (await outdated()) return
      const now = ports()
      const telling = { ...now, alarm }
      checkReviews(telling)
      tellProposals(store.config.active()?.proposals ?? noProposals, alarm, now.clock())
      const looks = [checkCards(now), checkGroups(telling), checkAddresses(telling), checkRoutes(telling)]
      await Promise.all([
        sweep(now),
        watch(),
        lookForUnasked(now, unaskedMs),
        tellPollTroubles(now, startedAt),
        drawOrders(telling),
        tellStops(now),
        tellAbsences(now),
        pollBuiltIn(telling),
        store.config.orders.endOver(now.clock()),
        ...looks,
      ])
      await refreshHomes(now)
      await forget(now)
      if (now.freshness.standing().kind !== "rolled-back")
        for (const { person, erasure } of await store.waitingErasures.look(now.clock()))
          now.log.info("erased-again", { person, left: erasure.left.length })
      if (retentionMs !== null) await retain({ ...now, retention: store.retention, keepMs: retentionMs })
    },
    present: async (caseId, opened) => {
      // We have just opened the case under the active config, so this replica may go on.
      const step = async (now: Ports) => again(await show(now, caseId, { opened }))
      return opened === undefined ? ifActive(step) : step(ports())
    },
    remind: () => ifActive(async (now) => again(await carryOutDeadlines(now))),
    summarise: (route) => ifActive(async (now) => again(await summarise(now, route))),
    resolve: (caseId) => ifOurs((now) => resolve(now, caseId)),
    resume: async (caseId, settled) => {
      // We have just settled the case under the active config, so this replica may go on.
      if (settled !== undefined) return again(await resumeAtOnce(ports(), settled))
      return ifOurs(async (now) => again(await resume(now, caseId)))
    },
    reconcile: (caseId) => ifOurs((now) => reconcile(now, caseId)),
    ticket: (ticket) => ifActive((now) => carryOut(now, ticket)),
  }
}

/** Leaves a case to another replica if this one may not reach its instance. Throws any other error. */
function leave(error: unknown): StepResult {
  if (error instanceof FlowError && error.code === "instance-elsewhere") return { againInMs: otherReplicaMs }
  throw error
}

function again(wait: number | null): StepResult {
  return wait === null ? undefined : { againInMs: wait }
}

/** Measures the steps of cases. If a ticket comes here, nobody carried its interaction out to the end. */
export function measuredSteps(steps: Steps, meter: ProcessMeter): Steps {
  return {
    ...steps,
    sweep: () => meter.step({ name: "sweep" }, () => steps.sweep()),
    present: (caseId, opened) => meter.step({ name: "present", caseId }, () => steps.present(caseId, opened)),
    resume: (caseId, settled) => meter.step({ name: "resume", caseId }, () => steps.resume(caseId, settled)),
    remind: () => meter.step({ name: "remind" }, () => steps.remind()),
    resolve: (caseId) => meter.step({ name: "resolve", caseId }, () => steps.resolve(caseId)),
    reconcile: (caseId) => meter.step({ name: "reconcile", caseId }, () => steps.reconcile(caseId)),
    ticket: (ticket) => {
      meter.metrics.replayed.inc()
      return meter.step({ name: "ticket", caseId: ticket.interaction.target.caseId }, () => steps.ticket(ticket))
    },
  }
}

/** Measures the interactions. */
export function measuredInbound(inbound: Inbound, meter: ProcessMeter): Inbound {
  return {
    ...inbound,
    carryOut: (taken) =>
      meter.step({ name: "decide", caseId: taken.ticket.interaction.target.caseId }, () => inbound.carryOut(taken)),
  }
}
