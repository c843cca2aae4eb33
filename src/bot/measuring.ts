// Measures what the bot does: its steps and its interactions.
import type { Inbound } from "../flow/ports/inbound.ts"
import { createMeter, type ProcessMeter } from "../measure/meter.ts"
import { openTraces } from "../measure/traces.ts"
import type { Steps } from "../queue/steps.ts"
import type { BotOptions } from "./options.ts"

/** Opens the meter; its traces are closed by whoever opened it. */
export async function openMeter({ config, clock, log }: BotOptions): Promise<ProcessMeter> {
  const traces = await openTraces({ endpoint: config.tracesTo, installation: config.installation, log })
  return createMeter({ traces, clock })
}

/** The steps of cases, measured. A ticket that fires is an interaction that some run did not carry out to its end. */
export function measuredSteps(steps: Steps, meter: ProcessMeter): Steps {
  return {
    ...steps,
    sweep: () => meter.step({ name: "sweep" }, () => steps.sweep()),
    present: (caseId) => meter.step({ name: "present", caseId }, () => steps.present(caseId)),
    resume: (caseId) => meter.step({ name: "resume", caseId }, () => steps.resume(caseId)),
    remind: () => meter.step({ name: "remind" }, () => steps.remind()),
    resolve: (caseId) => meter.step({ name: "resolve", caseId }, () => steps.resolve(caseId)),
    reconcile: (caseId) => meter.step({ name: "reconcile", caseId }, () => steps.reconcile(caseId)),
    ticket: (ticket) => {
      meter.metrics.replayed.inc()
      return meter.step({ name: "ticket", caseId: ticket.interaction.target.caseId }, () => steps.ticket(ticket))
    },
  }
}

/** The interactions, measured. */
export function measuredInbound(inbound: Inbound, meter: ProcessMeter): Inbound {
  return {
    ...inbound,
    carryOut: (taken) =>
      meter.step({ name: "decide", caseId: taken.ticket.interaction.target.caseId }, () => inbound.carryOut(taken)),
  }
}
