// Checks that a script's names are unique and that whatever it refers to exists.
import type { Script } from "./script.ts"
import { executorOf, type ScriptedAgent, type ScriptedTeam } from "./script-schema.ts"

/** What is wrong, and where. */
export type ScriptFault = { readonly place: string; readonly fault: string }

/** The first fault, or null. Members of teams are agents; steps are agents and teams: so nothing can call itself. */
export function checkNames(script: Script): ScriptFault | null {
  for (const family of ["agents", "teams", "workflows"] as const) {
    const twice = repeated(script[family].map((component) => component.id))
    if (twice !== null) return { place: family, fault: `the id ${twice} is used twice` }
  }
  const agents = new Set(script.agents.map((agent) => agent.id))
  const teams = new Set(script.teams.map((team) => team.id))
  const faults = [
    ...script.agents.map((agent) => runFault(`agents.${agent.id}`, agent, [])),
    ...script.teams.map((team) => memberFault(team, agents) ?? runFault(`teams.${team.id}`, team, team.members)),
    ...script.workflows.map((workflow) => {
      const stranger = workflow.steps
        .map(executorOf)
        .find(({ kind, id }) => !(kind === "agent" ? agents : teams).has(id))
      return stranger === undefined
        ? null
        : { place: `workflows.${workflow.id}.steps`, fault: `there is no ${stranger.kind} ${stranger.id}` }
    }),
  ]
  return faults.find((fault) => fault !== null) ?? null
}

function memberFault(team: ScriptedTeam, agents: ReadonlySet<string>): ScriptFault | null {
  const stranger = team.members.find((member) => !agents.has(member))
  return stranger === undefined ? null : { place: `teams.${team.id}.members`, fault: `there is no agent ${stranger}` }
}

function runFault(
  place: string,
  { tools, runs }: Pick<ScriptedAgent, "tools" | "runs">,
  members: readonly string[],
): ScriptFault | null {
  const names = new Set(tools.map((tool) => tool.name))
  if (names.size < tools.length) return { place: `${place}.tools`, fault: "a name is used twice" }
  const both = tools.find((tool) => tool.gated && tool.audit)
  if (both !== undefined) return { place: `${place}.tools`, fault: `${both.name} is both gated and audit` }
  const calls = runs.flatMap((run) => run.turns).flatMap((turn) => (Array.isArray(turn) ? turn : []))
  for (const call of calls) {
    if ("tool" in call && !names.has(call.tool)) {
      return { place: `${place}.runs`, fault: `${call.tool} is none of its tools` }
    }
    if ("member" in call && (!members.includes(call.member) || call.kind !== "agent")) {
      return { place: `${place}.runs`, fault: `${call.member} is none of its members` }
    }
  }
  return null
}

function repeated(ids: readonly string[]): string | null {
  return ids.find((id, at) => ids.indexOf(id) !== at) ?? null
}
