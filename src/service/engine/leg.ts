// Adds to a stretch of a run what happened, what ran, and the run's new state. Pure.
import type { EngineRun, Family, Leg, Moment } from "./run.ts"
import type { ToolExecution } from "./tool-execution.ts"

/** A stretch that is about to begin. */
export function setOut(family: Family): Leg {
  return { family, ran: [], events: [] }
}

/** Notes a moment of the run in its present state. */
export function tell(leg: Leg, moment: Moment, call: ToolExecution | null = null): Leg {
  return { ...leg, events: [...leg.events, { moment, family: leg.family, call }] }
}

/** The stretch with the changed run. */
export function withRun(leg: Leg, run: EngineRun): Leg {
  return { ...leg, family: { ...leg.family, run } }
}

/** The stretch with the changed calls of its run. */
function withCalls(leg: Leg, tools: readonly ToolExecution[]): Leg {
  const { run } = leg.family
  return withRun(leg, { ...run, state: { ...run.state, tools: [...tools] } })
}

/** Adds a call, or replaces its earlier state. */
export function withCall(leg: Leg, call: ToolExecution): Leg {
  const { tools } = leg.family.run.state
  const known = tools.some((earlier) => earlier.tool_call_id === call.tool_call_id)
  return withCalls(
    leg,
    known ? tools.map((earlier) => (earlier.tool_call_id === call.tool_call_id ? call : earlier)) : [...tools, call],
  )
}

/** Notes that a call was executed. */
export function withExecution(leg: Leg, call: ToolExecution): Leg {
  return { ...leg, ran: [...leg.ran, { run: leg.family.run, call }] }
}

/** Adds a stretch of a member, whether it is new or went on. */
export function withMember(leg: Leg, member: Leg): Leg {
  const { members } = leg.family
  const { id } = member.family.run
  const known = members.some((earlier) => earlier.run.id === id)
  return {
    family: {
      ...leg.family,
      members: known
        ? members.map((earlier) => (earlier.run.id === id ? member.family : earlier))
        : [...members, member.family],
    },
    ran: [...leg.ran, ...member.ran],
    events: [...leg.events, ...member.events],
  }
}
