// Admission: a backlog hides nothing (R20). Only some cases of an agent or instance have cards; the others wait.
import { admit as giveRoomTo } from "../../domain/case/card-steps.ts"
import type { Case } from "../../domain/case/case.ts"
import { readCase } from "../case/commit.ts"
import type { Alarm, Ports } from "../ports.ts"

export type AdmissionPorts = Pick<Ports, "store" | "backlog" | "admission" | "jobs" | "clock" | "alarm">

/** Whether we take new approvals in: `closed` while the memory is short. */
export type AdmissionState = "open" | "closed"

/** If the server's memory is fuller than this part, we take in nothing new: we keep the rest for decisions. */
const fullestPart = 0.8
/** One run admits the oldest case of each agent at most this many times. It leaves the rest to the next run. */
const maxRounds = 100

/**
 * Admits cases that wait, oldest first, when others have ended, and gets their cards posted. Raises one alarm for each
 * backlog, and one each time that the memory runs short. A trouble that goes on raises no second alarm.
 */
export async function admitWaiting(ports: AdmissionPorts, instance: string): Promise<AdmissionState> {
  let now = await ports.backlog.look(instance)
  const { used, max } = now.memory
  const tight = max > 0 && used > max * fullestPart
  for (let round = 0; !tight && round < maxRounds && now.heads.length > 0; round += 1) {
    if (!(await giveToHeads(ports, now.heads))) break
    now = await ports.backlog.look(instance)
  }
  const { waiting, told } = now
  await report(ports, { name: `flood ${instance}`, there: waiting > 0, told }, { ...floodAlarm, instance, waiting })
  await report(ports, { name: "memory", there: tight, told }, { ...memoryAlarm, used, max })
  return tight ? "closed" : "open"
}

const floodAlarm = {
  code: "flood",
  hint: "more approvals are open than may have cards at once: the rest waits, and /approvals list shows it",
}
const memoryAlarm = {
  code: "memory-short",
  hint: "new approvals stay at the platform and get no card until Redis has memory again; decisions go on",
}

interface Trouble {
  readonly name: string
  readonly there: boolean
  readonly told: readonly string[]
}

/** Raises one alarm for each trouble, however often we see it. */
async function report(
  ports: Pick<AdmissionPorts, "backlog" | "alarm">,
  { name, there, told }: Trouble,
  alarm: Alarm,
): Promise<void> {
  if (told.includes(name) === there) return
  if (!there) return ports.backlog.over(name)
  ports.alarm(alarm)
  await ports.backlog.told(name)
}

/** True if it admitted one of the cases. Goes through them one after the other, so that the oldest comes first. */
async function giveToHeads(ports: AdmissionPorts, heads: readonly string[]): Promise<boolean> {
  let given = false
  for (const caseId of heads) given = (await tryToGive(ports, caseId)) || given
  return given
}

async function tryToGive(ports: AdmissionPorts, caseId: string): Promise<boolean> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || !waitsForAdmission(current)) return false
  const { next, events } = giveRoomTo(current, ports.clock())
  const commit = { next, expectedVersion: current.version, events, within: ports.admission }
  const done = await ports.store.commit(commit)
  if (done.kind !== "committed") return false
  await ports.jobs.present(caseId)
  return true
}

function waitsForAdmission({ state, admission }: Case): boolean {
  return !admission.given && (state === "open" || state === "sending")
}
