// Plays one seed: honest acts, with the attacker's strokes in between. Judges whatever reaches the platform when it
// arrives.

import { createTimeline, timelineText } from "../faults/timeline.ts"
import type { Photo } from "./attacker.ts"
import { ledgerBreaches } from "./ledger.ts"
import { createOracle } from "./oracle.ts"
import { createTalkOracle } from "./oracle-talk.ts"
import { act, linkTo, type Watched } from "./people.ts"
import type { Schedule, Stroke, StrokeKind } from "./schedule.ts"
import { changers, holders, idOf, rulesOf } from "./settings.ts"
import { buildStage, type Ground, type Stage } from "./stage.ts"
import { bringsBackAll, type Loot, strike } from "./strokes.ts"
import { takeIn } from "./talk.ts"

/** How a seed ended. */
export interface Ended {
  readonly seed: number
  readonly violations: readonly string[]
  /** The strokes that were made. */
  readonly struck: readonly StrokeKind[]
  /** How many approvals people's acts brought about. */
  readonly approved: number
  /** What all parties did, as text. */
  readonly timeline: string
  readonly hung: boolean
}

/** How long what was prepared may take to have its effect, in ms of simulated time. */
const afterwardsMs = 3_000

/** Plays a schedule. Never rejects: what fails in the harness is a violation too. */
export async function play(ground: Ground, schedule: Schedule): Promise<Ended> {
  const timeline = createTimeline(ground.clock.now)
  const going: Going = {
    violations: [],
    struck: [],
    album: [],
    tickets: new Map(),
    bodies: [],
    ambush: [],
    approved: 0,
  }
  try {
    const stage = await buildStage(ground, schedule, timeline)
    try {
      await playOn(stage, going)
    } finally {
      await stage.close()
    }
  } catch (error) {
    going.violations.push(
      `the harness failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    )
  }
  const { seed } = schedule
  const { violations, struck, approved } = going
  return { seed, violations, struck, approved, timeline: timelineText(timeline.moments), hung: false }
}

interface Going {
  readonly violations: string[]
  readonly struck: StrokeKind[]
  readonly album: Photo[]
  readonly tickets: Map<string, Buffer>
  /** The verdicts that were refused for good. */
  readonly bodies: { readonly path: string; readonly body: string }[]
  /** What strikes just before the next run is continued. */
  ambush: readonly Stroke[]
  approved: number
}

async function playOn(stage: Stage, going: Going): Promise<void> {
  const { schedule, ground } = stage
  const rules = rulesOf(schedule, 1)
  const talk = createTalkOracle()
  const oracle = createOracle({ rules, holder: idOf.rita, at: ground.clock.now(), talk })
  const changing = { people: changers, address: false, quorum: 2 }
  const changes = createOracle({ rules: changing, holder: idOf.rita, at: ground.clock.now() })
  const watched = watch({ stage, oracle, changes, talk }, going)
  await Promise.all(stage.replicas.map((replica) => stage.start(replica)))
  await linkTo(stage, idOf.rita)
  for (const one of schedule.acts) {
    if (going.violations.length > 0) return
    if (one.kind === "attack") await strikeRunning(watched, going, one.strokes)
    else if (one.kind === "ambush") going.ambush = one.strokes
    else if (one.kind === "down") await goDown(watched, going, one.strokes)
    else {
      await act(watched, one)
      going.album.push(await stage.attacker.photographAll())
    }
    hearEnds(watched)
  }
  await ground.clock.wait(afterwardsMs)
  going.violations.push(...(await ledgerBreaches(stage)))
}

/** Verdicts that the bot said have ended are so from then on. */
function hearEnds({ stage, oracle }: Pick<Watched, "stage" | "oracle">): void {
  for (const { kind, caseId, at } of stage.told.splice(0)) {
    const asked = stage.asked.find((one) => one.caseId === caseId)
    if (kind === "reopened" && asked !== undefined) oracle.ended(asked.id, at)
  }
}

async function goDown(watched: Watched, going: Going, strokes: readonly Stroke[]): Promise<void> {
  const { stage, oracle, talk } = watched
  await Promise.all(stage.replicas.map((replica) => stage.stop(replica)))
  hearEnds(watched)
  await strikeAll(watched, going, strokes)
  if (stage.schedule.setUp === "restart without") {
    stage.forgetFolders()
    // Accepted: with every process down, and neither checkpoint nor marks, Redis is believed about config, links and
    // what had expired.
    // Votes that were taken back stay so: such a start takes all open cases for touched, and voids the votes on them.
    // What was proposed may be lost.
    if (going.struck.length > 0) {
      oracle.believing(holders, stage.ground.clock.now())
      talk.believing()
    }
  }
  await Promise.all(stage.replicas.map((replica) => stage.start(replica)))
}

/** Replicas that run may be shown one ledger each, for a while. */
async function strikeRunning(
  watched: Omit<Watched, "refuseNext">,
  going: Going,
  strokes: readonly Stroke[],
): Promise<void> {
  const { stage, oracle } = watched
  await strikeAll(watched, going, strokes)
  if (stage.replicas.length > 1 && strokes.some(({ kind }) => bringsBackAll(kind)))
    oracle.splitting(stage.ground.clock.now())
}

async function strikeAll(
  { stage, oracle, talk }: Omit<Watched, "refuseNext">,
  going: Going,
  strokes: readonly Stroke[],
): Promise<void> {
  // An operator who orders after that is told what is wrong: then nothing is ordered.
  stage.ordered.pending = null
  // Afterwards it may be no evidence any more.
  going.violations.push(...(await ledgerBreaches(stage)))
  if (strokes.length > 0) for (const one of [oracle, talk]) one.struck(stage.ground.clock.now())
  const { attacker, asked, timeline, platform } = stage
  const { album, tickets, struck, bodies } = going
  const postEnded = async (die: number) => {
    const ended = bodies[die % Math.max(1, bodies.length)]
    if (ended === undefined) return false
    await platform.post(ended.path, ended.body)
    return true
  }
  const loot: Loot = { attacker, album, tickets, asked, postEnded }
  for (const stroke of strokes) {
    const seen = attacker.did.length
    if (await strike(loot, stroke)) struck.push(stroke.kind)
    timeline.note("attacker", `${stroke.kind}: ${attacker.did.slice(seen).join("; ") || "nothing"}`)
  }
}

/** From now on what reaches the platform is judged, and what lies in Redis meanwhile is copied. */
function watch(world: Omit<Watched, "refuseNext">, going: Going): Watched {
  const { stage, oracle } = world
  const { platform, attacker, ground, timeline } = stage
  const { proxy } = platform
  const judge = async ({ path, body }: { readonly path: string; readonly body: string }) => {
    const id = /approvals\/([^/]+)\/resolve$/.exec(path)?.[1] ?? ""
    if (platform.waits(id)) {
      hearEnds(world)
      takeIn(world)
      const { status, resolved_by: by, resolution_data: data } = JSON.parse(body)
      const verb = status === "approved" ? "approve" : "reject"
      const says = { again: by === "countersign:again", sentBack: data?.proposal !== undefined }
      const wrong = oracle.sent(id, verb, ground.clock.now(), says)
      timeline.note("oracle", `${verb} of ${id}: ${wrong ?? "as it should be"}`)
      if (wrong === null) going.approved += verb === "approve" ? 1 : 0
      else going.violations.push(`${stage.asked.find((one) => one.id === id)?.tool}: ${wrong}`)
    }
    going.album.push(await attacker.photographAll())
  }
  const read = async ({ path }: { readonly path: string }) => {
    const { pending } = stage.ordered
    stage.ordered.pending = null
    await pending?.()
    await copyTickets()
    const one = stage.asked.find(({ id }) => path.endsWith(`/${id}`))
    if (one !== undefined) oracle.read(one.id, ground.clock.now())
  }
  const copyTickets = async () => {
    for (const [id, sealed] of await attacker.tickets()) going.tickets.set(id, sealed)
  }
  const continued = async ({ path }: { readonly path: string }) => {
    const run = /runs\/([^/]+)\/continue$/.exec(path)?.[1]
    // It arrives now. What we ask the platform below takes its time.
    const at = ground.clock.now()
    await strikeRunning(world, going, going.ambush)
    going.ambush = []
    for (const asked of stage.asked) {
      const row = await platform.read(asked.id)
      if (row.run_id !== run) continue
      const wrong = oracle.continued(asked.id, at)
      if (wrong !== null) going.violations.push(`${asked.tool}: ${wrong}`)
    }
  }
  const until = { read, continue: continued }
  const rules = [
    { method: "GET", path: /^\/approvals\/[^/]+$/, fault: { kind: "hold", until: until.read } },
    { method: "POST", path: /\/continue$/, fault: { kind: "hold", until: until.continue } },
  ] as const
  for (const rule of rules) proxy.fail(rule)
  const post = { method: "POST", path: /\/resolve$/ } as const
  const judged = () => proxy.fail({ ...post, fault: { kind: "hold", until: judge } })
  let unjudge = judged()
  const refuseNext = () => {
    unjudge()
    const after = async (passed: { readonly path: string; readonly body: string }) => {
      await judge(passed)
      going.bodies.push({ path: passed.path, body: passed.body })
    }
    proxy.fail({ ...post, times: 1, fault: { kind: "answer", status: 403, body: { detail: "refused" }, after } })
    unjudge = judged()
  }
  return { ...world, refuseNext }
}
