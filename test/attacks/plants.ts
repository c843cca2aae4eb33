// Planted bugs that only this attacker's schedules show, beside those of `test/faults/plants.ts`.
import { type Planted, plantBug } from "../faults/plants.ts"

/** Whoever proposed a value may approve the call that has it. */
const proposerApproves: Planted["around"] = (ports) => {
  const rules = ports.policy.rules.map((rule) => ({ ...rule, proposerMayApprove: true as const }))
  return { ...ports, policy: { ...ports.policy, rules } }
}

/** What a planted bug spoils; nothing for none. Throws if there is no such bug. */
export function plantHere(name: string | null): Planted {
  if (name !== "proposer-approves") return plantBug(name)
  return { ...plantBug(null), around: proposerApproves }
}
