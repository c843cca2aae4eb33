// The demo's tour: one try for each thing that Countersign does. A try starts that thing, and leads to its card.
import { randomUUID } from "node:crypto"
import { caseIdOf } from "../../domain/case/case.ts"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import { readCookie } from "../../http/page/session.ts"
import type { Lead, Tour } from "../../sandbox/user-actions/tour.ts"
import { SandboxError } from "../../sandbox/workspace/error.ts"
import type { PostedMessage } from "../../sandbox/workspace/messages.ts"
import type { Sandbox } from "../../sandbox.ts"
import type { RunningService } from "../../service.ts"
import { metadataTypes } from "../../slack/ids.ts"
import type { DemoOperator, DemoRow } from "./operator.ts"
import { type Rounds, watchRounds } from "./rounds.ts"
import type { Proposer } from "./rules-scene.ts"
import { beginner, type DemoRun, firstStep, lastStep, type Scene, type SceneStep, scenes, welcome } from "./scenes.ts"

/** What a tour uses. */
export interface TourOptions {
  readonly sandbox: Sandbox
  readonly operator: DemoOperator
  /** Proposes other rules. */
  readonly proposer: Proposer
  /** Changes what a waiting run asks for. */
  readonly rewrite: RunningService["rewriteApproval"]
  readonly installation: string
  readonly botUrl: string
  readonly readToken: () => Promise<string>
  /** For this many ms the bot posts nothing in the channel, as if Slack had told it to wait. */
  readonly holdChannel: (channel: string, ms: number) => Promise<void>
}

/** The bot meets all runs of a flood in this time, in ms: more than one poll. Then one summary names them all. */
const gatherMs = 2_500
/** So long the calls of a flood wait on their summary, in ms. After that each gets a card of its own. */
const stayMs = 1_800_000

/** How long a card may take, in ms. */
const limitMs = 20_000

/** Makes the tour. People may start its tries in any order and any number of times, also while others wait. */
export function createTour({ operator, ...rest }: TourOptions): Tour {
  const read: DemoOperator["read"] = async (id) => (await rest.proposer.read(id)) ?? operator.read(id)
  const options: TourOptions = { ...rest, operator: { ...operator, read } }
  const turns = new Map<string, number>()
  const steps = new Map<string, () => Promise<Lead>>()
  const floods = new Map<string, readonly DemoRow[]>()
  const rounds = watchRounds(options)
  const offer = (step: SceneStep | undefined, played: Played): Lead["next"] => {
    if (!step) return null
    const again = { id: randomUUID(), label: step.label }
    steps.set(again.id, () => playStep({ ...options, rounds }, step, { ...played, again }))
    return again
  }
  const play = async (scene: Scene): Promise<Lead> => {
    const turn = turns.get(scene.id) ?? 0
    turns.set(scene.id, turn + 1)
    const earlier = floods.get(scene.id) ?? []
    const { rows, place } = scene.summary
      ? await startFlood(options, { scene, turn, earlier })
      : await startScene(options, scene, turn)
    if (scene.summary) floods.set(scene.id, rows)
    const round = randomUUID()
    rounds.begin(round, scene, { rows, ts: place.ts })
    const next = offer(scene.next, { scene, turn, place, round, rows })
    return { try: scene.id, round, place, person: beginner, hint: scene.hint, next }
  }
  return {
    welcome,
    first: firstStep,
    last: lastStep,
    tries: () => scenes.map(({ id, label, about, was }) => ({ id, label, about, was, ended: rounds.ended(id) })),
    run: (id) => {
      const step = steps.get(id)
      const scene = scenes.find((one) => one.id === id)
      if (step) return step()
      if (scene) return play(scene)
      throw new SandboxError(
        "no_such_thing",
        `there is no try ${id}; there are: ${scenes.map((one) => one.id).join(", ")}`,
      )
    },
    auditDoor: async () => ({
      url: `${options.botUrl}/page`,
      cookie: { name: readCookie, value: await options.readToken(), path: "/page" },
    }),
  }
}

/** Starts the runs, and returns the approvals for which they wait. */
function startRuns({ operator }: TourOptions, runs: readonly DemoRun[]): Promise<readonly DemoRow[]> {
  return Promise.all(runs.map((run) => operator.start(run)))
}

async function startScene(options: TourOptions, scene: Scene, turn: number) {
  const rows = scene.proposes ? [await options.proposer.propose()] : await startRuns(options, scene.runs(turn))
  return { rows, place: await cardPlace(options, scene, rows) }
}

interface Flood {
  readonly scene: Scene
  readonly turn: number
  /** The approvals of the flood before this one. */
  readonly earlier: readonly DemoRow[]
}

/**
 * Starts a flood, and keeps its calls on one summary. Those of the flood before it that still wait there are a part of
 * it: only as many new ones are started as make it full.
 */
async function startFlood(options: TourOptions, { scene, turn, earlier }: Flood) {
  const { operator, holdChannel } = options
  const now = await Promise.all(earlier.map(({ id }) => operator.read(id)))
  const left = now.filter((row) => row.status === "pending" && isSummarised(options, scene, row))
  if (left.length === 0) await holdChannel(scene.channel, gatherMs)
  const rows = [...left, ...(await startRuns(options, scene.runs(turn).slice(left.length)))]
  const place = await cardPlace(options, scene, rows)
  await holdChannel(scene.channel, stayMs)
  return { rows, place }
}

function isSummarised({ sandbox }: TourOptions, { channel }: Scene, { tool_args: args }: DemoRow): boolean {
  const service = args?.service
  if (service === undefined) return false
  const summaries = sandbox.messages(channel).filter(({ metadata }) => metadata?.event_type === metadataTypes.summary)
  return summaries.some(({ blocks }) => JSON.stringify(blocks).includes(service))
}

/** Finds the card of one of these approvals, or the summary that names one. */
async function cardPlace(options: TourOptions, scene: Scene, rows: readonly DemoRow[]) {
  const { sandbox, installation } = options
  const { channel, about, summary } = scene
  const instance = scene.proposes ? builtInInstance : "default"
  const cases = rows.map(({ id }) => caseIdOf(installation, instance, id))
  const services = rows.flatMap(({ tool_args: args }) => args?.service ?? [])
  const leadsThere = ({ metadata, blocks }: PostedMessage) => {
    const isSummary = metadata?.event_type === metadataTypes.summary
    const words = summary ? services : cases
    return isSummary === (summary ?? false) && words.some((word) => JSON.stringify(blocks).includes(word))
  }
  const find = () => sandbox.messages(channel).findLast(leadsThere)
  const { ts } = await sandbox.waitFor(find, { limitMs, what: `the card of: ${about}` })
  return { channel, ts }
}

/** A try that somebody started. */
interface Played {
  readonly round: string
  readonly scene: Scene
  readonly turn: number
  readonly place: Lead["place"]
  /** The approvals for which the try waits. */
  readonly rows: readonly DemoRow[]
}

/** `again` offers the same step once more. */
interface PlayedStep extends Played {
  readonly again: NonNullable<Lead["next"]>
}

type StepOptions = TourOptions & { readonly rounds: Rounds }

async function playStep(options: StepOptions, step: SceneStep, played: PlayedStep): Promise<Lead> {
  const { scene, turn, rows, place, again, round } = played
  const { needs, person = beginner, hint } = step
  const led = { try: scene.id, round, place, person }
  const now = await Promise.all(rows.map(({ id }) => options.operator.read(id)))
  if (needs && now[0]?.status !== needs.status) return { ...led, hint: needs.hint, next: again }
  if (step.change && now[0]) options.rewrite(now[0].id, step.change(turn))
  const asked = (step.asks && (await startRuns(options, step.asks(turn)))) ?? []
  options.rounds.goOn(round, asked)
  const waiting = [...now.filter(({ status }) => status === "pending"), ...asked]
  return { ...led, place: waiting.length === 0 ? place : await cardPlace(options, scene, waiting), hint, next: null }
}
