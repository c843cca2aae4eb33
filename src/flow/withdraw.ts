// Withdraw: a voter takes their vote back, which they may until the verdict is being sent (R5).
import type { Case } from "../domain/case/case.ts"
import { personKey } from "../domain/people/person.ts"
import { isUsed, withdrawVote } from "../domain/case/steps.ts"
import { isOver } from "../domain/policy/timing.ts"
import { advance } from "./access.ts"
import type { Decided } from "./answer.ts"
import { placeOf } from "./place.ts"
import type { Ports } from "./ports.ts"
import type { WithdrawPress } from "./press.ts"
import { standing } from "./standing.ts"

/** Takes a vote back. Nobody is judged for it: it only undoes what they did themselves. Run again it gives the same answer. */
export async function withdraw(
  ports: Pick<Ports, "store" | "views" | "clock" | "jobs">,
  current: Case,
  press: WithdrawPress,
): Promise<Decided> {
  if (isUsed(current, press.interaction) || (await ports.store.consumed(press.interaction)))
    return { answer: { kind: "withdrawn" }, case: current }
  const placed = await placeOf(ports, current, press)
  if (!placed.ok) return { answer: placed.answer, case: current }
  const at = ports.clock()
  if (current.state === "open" && isOver(current.time, at))
    return { answer: { kind: "expired", rejected: false }, case: current }
  const done = await advance(
    ports,
    current,
    (now) =>
      !isOver(now.time, at) && hasVote(now, press) ? withdrawVote(now, press.person, press.interaction, at) : null,
    press.interaction,
  )
  if (done.kind === "duplicate") return { answer: { kind: "withdrawn" }, case: current }
  if (done.kind === "unchanged") return { answer: standing(done.case, press), case: done.case }
  await ports.jobs.present(current.id)
  return { answer: { kind: "withdrawn" }, case: done.case }
}

function hasVote(current: Case, { person }: WithdrawPress): boolean {
  return current.state === "open" && current.votes.some((vote) => personKey(vote.person) === personKey(person))
}
