// Resume: continues the paused run of a decided case, once, and says how it ended (`docs/platform-facts.md` 5.8). After
// a crash it never sends a second continue: it asks the run.
import { type Case, caseIdOf } from "../../domain/case/case.ts"
import { placeSeenFrom } from "../../domain/case/related-approval.ts"
import {
  answerMaskOf,
  beginContinue,
  continueInBackground,
  isDoubtful,
  isRefusing,
  isResuming,
  noteBroken,
  noteSaid,
  noteWait,
  takeBack,
  type Wait,
  type Withheld,
  withhold,
} from "../../domain/case/resumption.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { callId, isSameJson, waitingIn } from "../../domain/content/run.ts"
import { advance, advanceCase, readCase, renewed, underAnyConfig } from "../case/commit.ts"
import { type Continued, isPortError, type Platform, type Ports, platformOf, type SettledCase } from "../ports.ts"
import { type Examined, type ExaminedCase, examine, examineAtOnce, type Ready } from "./examine.ts"
import { besideMs, forgottenWhy, holdUp, isTooLate, keepHere, lateWhy, mayRunTwice, stopUnder } from "./may-continue.ts"
import { finish, follow, followBeside } from "./run-end.ts"
import { examineSecondPause } from "./second-pause.ts"

/** In how many ms to look at the run again; null if nothing is left to do. */
export type Again = number | null

/** After how many tries we believe that nobody can read a run, and how many ms lie between two tries. */
const missesToBelieve = 4
const missMs = 4_000
/** The same numbers if the run is gone while the platform shows its approval. */
const missesIfGone = 2
const goneMs = 1_000
/** We link at most this many cards of the approvals that a run waits for, too. */
const maxLinks = 3
/** How soon we look again at a run that is at work, in ms. */
const movingMs = 3_000
/** How soon we first ask the run how it ended, in ms, if the answer to the continue does not say. */
const firstLookMs = 1_000

/** Continues the run of a settled case, or looks how that went. Two calls, or two processes at once, do no harm. */
export async function resume(ports: Ports, caseId: string): Promise<Again> {
  const found = await readCase(ports, caseId)
  if (found === null || found === "frozen" || !isResuming(found)) return null
  const current = await renewed(ports, found)
  // Redis may be older than what was done, so we continue nothing.
  if (ports.freshness.standing().kind === "rolled-back") return besideMs
  const subject = examinedOf(ports, current, platformOf(ports, current))
  if (subject === null) return giveUp(ports, current, { why: "resuming is switched off for this instance" })
  if (current.resumption?.kind === "continuing") return follow(ports, subject, current.resumption.sent)
  const owner = await ownerOf(ports, current)
  if (owner.tampered) return giveUp(ports, current, { why: "what is stored about it was not written by Countersign" })
  if (owner.caseId !== null && owner.caseId !== caseId) return followBeside(ports, subject, owner.caseId)
  return beginResuming(ports, subject)
}

/**
 * Continues the run of a case that this process has just settled. Goes by the platform's answer to the resolve. If that
 * does not tell enough, the resume job follows at once. Two processes at once do no harm here, either.
 */
export async function resumeAtOnce(ports: Ports, { current, record, run }: SettledCase): Promise<Again> {
  if (ports.freshness.standing().kind === "rolled-back") return besideMs
  const subject = examinedOf(ports, current, platformOf(ports, current))
  if (subject === null) return 0
  const ready = await examineAtOnce(ports, subject, { record, run: await run })
  return ready === null ? 0 : start(ports, subject, ready)
}

function examinedOf(ports: Ports, current: Case, platform: Platform): ExaminedCase | null {
  const { approval, decision, instance } = current
  const [runs, conduct] = [ports.runs.get(instance), ports.conduct.get(instance)]
  if (runs === undefined || conduct === undefined || approval === null || decision === null) return null
  return conduct.resume === "off" ? null : { current, approval, decision, platform, runs, conduct }
}

interface Owner {
  readonly caseId: string | null
  readonly tampered: boolean
}

/** The case in whose name we continue the run. If we did not write what Redis says, we continue nothing (R14). */
async function ownerOf(ports: Ports, current: Case): Promise<Owner> {
  try {
    return { caseId: await ports.continues.takenBy(current.decision?.id ?? ""), tampered: false }
  } catch (error) {
    if (!isPortError(error) || error.code !== "tampered") throw error
    return { caseId: null, tampered: true }
  }
}

async function beginResuming(ports: Ports, subject: ExaminedCase): Promise<Again> {
  const second = isRefusing(subject.current)
  const examined = await (second ? examineSecondPause(subject) : examine(ports, subject))
  switch (examined.kind) {
    case "never":
      return giveUp(ports, subject.current, examined)
    case "unreadable":
      return missRun(ports, subject.current, examined)
    case "moving":
      return movingMs
    case "beside":
      await note(ports, subject.current, await besideNow(ports, subject.current, examined.approvals))
      return besideMs
    case "over":
      return finish(ports, subject, { ...examined, by: isDoubtful(subject.current) ? "us" : "others" })
    case "ready":
      return start(ports, subject, examined)
  }
}

/** If the platform takes longer over a continue, in ms, the card says meanwhile that the run was continued. */
const tellMs = 1_000

async function tellContinuing(ports: Ports, caseId: string): Promise<void> {
  await ports.jobs.present(caseId).catch((error: unknown) => ports.log.warn("left-to-the-sweep", { caseId, error }))
}

/** Continues the run: first the lock, then the commit, then the POST. Wherever that is cut off, nobody POSTs again. */
async function start(ports: Ports, subject: ExaminedCase, ready: Ready): Promise<Again> {
  const { current } = subject
  if (mayRunTwice(ports, ready)) return giveUp(ports, current, { why: forgottenWhy })
  const stop = stopUnder(ports, ready)
  if (stop !== null) return holdUp(ports, current, stop)
  const at = (await ports.store.sharedClock())()
  if (isTooLate(ready, at)) return giveUp(ports, current, { why: lateWhy, late: true })
  const decisions = ready.cases.map((one) => one.decision?.id ?? "")
  if (!(await ports.continues.take(decisions, current.id))) return movingMs
  const { address, run } = ready
  const calls = waitingIn(run, address.runner).map(callId)
  const answerMask = answerMaskOf(ready.cases)
  const plain = { at, address, calls, background: false, said: null }
  const refusing = isRefusing(current) ? { refusing: true as const } : {}
  const sent = answerMask === undefined ? { ...plain, ...refusing } : { ...plain, ...refusing, answerMask }
  const begun = await advance(ports, current, (now) => beginContinue(now, sent))
  if (begun.kind !== "committed") return movingMs
  // The commit itself may have found out that a second is lost.
  if (mayRunTwice(ports, ready)) {
    await ports.jobs.present(current.id)
    return firstLookMs
  }
  // The card says so only if it takes long: most runs end before a card could be drawn.
  const toldInTime = ports.later(tellMs, () => void tellContinuing(ports, current.id))
  const again = await sendContinue(ports, { ...subject, current: begun.case }, ready, false).finally(toldInTime)
  if (again !== null) await ports.jobs.present(current.id)
  for (const one of ready.cases) if (one.id !== current.id) await ports.jobs.resume(one.id, 0)
  return again
}

async function sendContinue(ports: Ports, subject: ExaminedCase, ready: Ready, background: boolean): Promise<Again> {
  const { address, explicit } = ready
  try {
    const mayLeave = () => stopUnder(ports, ready) === null
    const answer = await subject.runs.continue(address, { explicit, background }, mayLeave)
    return await afterContinue(ports, subject, ready, { answer, background })
  } catch (error) {
    if (!isPortError(error)) throw error
    return afterLostContinue(ports, subject, error)
  }
}

interface Answered {
  readonly answer: Continued
  readonly background: boolean
}

async function afterContinue(ports: Ports, subject: ExaminedCase, ready: Ready, answered: Answered): Promise<Again> {
  const { answer, background } = answered
  const { address } = ready
  switch (answer.kind) {
    case "run":
      if (isMoving(answer.run.status)) return firstLookMs
      return finish(ports, subject, {
        address,
        run: answer.run,
        by: "us",
        rulings: ready.rulings,
        stuck: isStuck(ready, answer.run),
      })
    case "accepted":
      return firstLookMs
    case "held-back":
      return keepHere(ports, subject.current, ready)
    case "queued":
      return background ? said(ports, subject, answer.detail) : sendInBackground(ports, subject, ready)
    case "refused":
      return finish(ports, subject, { address, run: null, by: "us", refusal: `${answer.status} ${answer.detail}` })
    case "unsure":
      return said(ports, subject, `${answer.status} ${answer.detail}`)
  }
}

function isMoving(status: string): boolean {
  return status === "RUNNING" || status === "PENDING"
}

/**
 * True if the run paused again at the very calls that people decided: nothing ran (`docs/platform-facts.md`, trap 66).
 */
function isStuck({ address, run }: Ready, after: Ready["run"]): boolean {
  const ids = (one: Ready["run"]) => waitingIn(one, address.runner).map(callId)
  return after.status === "PAUSED" && after.id === run.id && isSameJson(ids(after), ids(run))
}

/** Sends a continue again, for one reason only: the durable queue did nothing, and asks for `background=true`. */
async function sendInBackground(ports: Ports, subject: ExaminedCase, ready: Ready): Promise<Again> {
  if (stopUnder(ports, ready) !== null) return keepHere(ports, subject.current, ready)
  const at = (await ports.store.sharedClock())()
  const begun = await advance(ports, subject.current, (now) => continueInBackground(now, at))
  return begun.kind === "committed"
    ? sendContinue(ports, { ...subject, current: begun.case }, ready, true)
    : firstLookMs
}

/** Keeps the platform's words. After a 404 or 500 nothing is certain, so the run has to tell how it ended. */
async function said(ports: Ports, { current }: ExaminedCase, words: string): Promise<Again> {
  await advanceCase(underAnyConfig(ports), current, (now) => noteSaid(now, words))
  return firstLookMs
}

/**
 * What to do without an answer: if the continue never left us, send it later; else ask the run, and send nothing. What
 * we heard is noted under any config: nobody hears it again.
 */
async function afterLostContinue(
  ports: Ports,
  { current }: ExaminedCase,
  error: Error & { code: string },
): Promise<Again> {
  ports.log.warn("continue-unaccounted", { caseId: current.id, error })
  if (error.code === "cut") await advanceCase(underAnyConfig(ports), current, noteBroken)
  if (error.code !== "unreachable" && error.code !== "no_turn") return firstLookMs
  await advanceCase(underAnyConfig(ports), current, (now) => takeBack(now, ports.clock()))
  return missMs
}

type Missed = Extract<Examined, { kind: "unreadable" }>

async function missRun(ports: Ports, current: Case, { why, gone }: Missed): Promise<Again> {
  const misses = current.resumption?.kind === "waiting" ? current.resumption.misses + 1 : 1
  const nobody = gone === "session" ? { nobody: true as const } : {}
  if (misses >= (gone === undefined ? missesToBelieve : missesIfGone)) return giveUp(ports, current, { why, ...nobody })
  await note(ports, current, { misses, beside: 0 })
  return gone === undefined ? missMs : goneMs
}

/** How many other approvals the run waits for, with links to the first of their cards. */
async function besideNow(ports: Ports, current: Case, approvals: readonly string[]): Promise<Wait> {
  const ids = approvals.slice(0, maxLinks).map((id) => caseIdOf(current.installation, current.instance, id))
  const others = await Promise.all(ids.map((id) => readCase(ports, id)))
  const places = others.flatMap((one) => (one === null || one === "frozen" ? [] : (placeSeenFrom(current, one) ?? [])))
  const links = await Promise.all(places.map((place) => ports.chat.linkTo(place)))
  const known = links.filter((link) => link !== null)
  return { misses: 0, beside: approvals.length, ...(known.length === 0 ? {} : { links: known }) }
}

async function note(ports: Ports, current: Case, wait: Wait) {
  const noted = await advance(ports, current, (now) => noteWait(now, wait))
  if (noted.kind === "committed") await ports.jobs.present(current.id)
}

/** Ends our work on the run: the card says who has to continue it, and we tell the operator. */
async function giveUp(ports: Ports, current: Case, { why, nobody, late }: Withheld): Promise<null> {
  const withheld = { why, ...(nobody && { nobody }), ...(late && { late }) }
  const done = await advance(ports, current, (now) => withhold(now, withheld, ports.clock()))
  if (done.kind === "committed")
    ports.alarm({ code: "not-resumed", caseId: current.id, run: runIdOf(current.approval), why })
  await ports.jobs.present(current.id)
  return null
}

function runIdOf(approval: Approval | null): string | null {
  return approval?.runId ?? null
}
