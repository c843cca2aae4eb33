// The runs of an instance: reads them by component, continues each once (port `Runs`). Its credential does not resolve.
import { z } from "zod"
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseExactly } from "../domain/content/json.ts"
import type { Run, RunAddress } from "../domain/content/run.ts"
import type { Continued, MayLeave, ParentRun, Runs } from "../flow/ports.ts"
import type { PlatformClientOptions } from "./client.ts"
import { objects, whyNot } from "./contract.ts"
import { unlessHeldBack } from "./errors.ts"
import { createReader, get, type Reader } from "./reader.ts"
import { asksWhichDatabase, createDatabaseReader, ownDatabase } from "./sessions.ts"
import { createTransport, formOf, type HttpAnswer, type Request, type Transport } from "./transport.ts"

/** What a client of runs needs. */
export interface RunsOptions extends Pick<PlatformClientOptions, "name" | "url" | "way" | "dispatcher"> {
  /** A credential that may run but not resolve; undefined for an instance that needs none. */
  readonly token: PlatformClientOptions["token"]
  /** How long a read may take, in ms. */
  readonly timeoutMs: number
  /** How long a continue may take, in ms: meanwhile the tool works, and then the model. */
  readonly resumeMs: number
}

/** The port, and a function that ends its connections. Default for `mayLeave`: it may. */
export interface RunsClient extends Runs {
  readonly continue: (
    address: RunAddress,
    form: Parameters<Runs["continue"]>[1],
    mayLeave?: MayLeave,
  ) => Promise<Continued>
  readonly close: () => Promise<void>
}

/** The longest run that we read, in bytes: a run holds all its messages and events. */
const bodyLimit = 32 * 1024 * 1024
/** At most this many continues at once; each holds a connection while its tool works. */
export const maxContinues = 64

/** How many levels of members below members we follow. */
const maxLevels = 10

/** A run on the wire (`docs/platform-facts.md` 5.7). Its calls stay unchanged, because we may send them back. */
const row = z.looseObject({
  run_id: z.string(),
  status: z.string(),
  user_id: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  content: z.custom<Json>().nullish(),
  tools: objects.nullish(),
  requirements: objects.nullish(),
  member_responses: objects.nullish(),
  /** What a workflow's step waits for, and the runs of the steps. */
  step_requirements: objects.nullish(),
  step_executor_runs: objects.nullish(),
})

/** Reads a run. The error says for each field why this is no run. */
function readRun(body: Json): z.ZodSafeParseResult<Run> {
  return row.transform((read) => toRun(read, maxLevels)).safeParse(body)
}

function toRun(read: z.infer<typeof row>, levels: number): Run {
  const below = [...(read.member_responses ?? []), ...(read.step_executor_runs ?? [])]
  const members = levels === 0 ? [] : below.flatMap((member) => memberRun(member, levels - 1))
  return {
    id: read.run_id,
    status: read.status,
    userId: read.user_id ?? null,
    parentId: read.parent_run_id || null,
    content: read.content ?? null,
    tools: read.tools ?? [],
    requirements: read.requirements ?? (read.step_requirements ?? []).flatMap(requirementsOfStep),
    members,
  }
}

/** What the executor of a workflow's step waits for. To the workflow, an executor of any kind is a member. */
function requirementsOfStep({
  executor_requirements: listed,
  executor_run_id: run,
}: JsonObject): readonly JsonObject[] {
  const of = typeof run === "string" ? { member_run_id: run } : {}
  return isJsonArray(listed) ? listed.filter(isJsonObject).map((one) => ({ ...of, ...one })) : []
}

/** A member's run. What a team says about it decides nothing, so we leave it out if it has another shape. */
function memberRun(member: JsonObject, levels: number): readonly Run[] {
  const read = row.safeParse(member)
  return read.success ? [toRun(read.data, levels)] : []
}

/** A run in the list of its session's runs: `GET /sessions/{id}/runs`. */
const sessionRunRow = z.looseObject({
  run_id: z.string(),
  status: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  team_id: z.string().nullish(),
  workflow_id: z.string().nullish(),
  step_executor_runs: objects.nullish(),
})

type SessionRunRow = z.infer<typeof sessionRunRow>

/** The run that began another run. */
function above(runs: readonly SessionRunRow[], runId: string): SessionRunRow | undefined {
  const parent = runs.find((run) => run.run_id === runId)?.parent_run_id
  return (
    runs.find((run) => run.run_id === parent) ??
    runs.find((run) => (run.step_executor_runs ?? []).some((step) => step["run_id"] === runId))
  )
}

/** If the list lacks a run, we name at most this many runs of teams that may hold it. */
const maxTeams = 5

/**
 * The run at the top. The list may lack the run, as it does for a member of a team within a team. Then it is the
 * session's runs of teams, because one of them may hold it; those that wait first, then the newest.
 */
function parentsIn(runs: readonly SessionRunRow[], runId: string): readonly ParentRun[] {
  const direct = above(runs, runId)
  const listed = runs.some((run) => run.run_id === runId)
  return direct === undefined && !listed ? teamsIn(runs) : placesOf(direct && topOf(runs, direct))
}

function topOf(runs: readonly SessionRunRow[], run: SessionRunRow): SessionRunRow {
  let top = run
  for (let level = 0; level < maxLevels; level += 1) top = above(runs, top.run_id) ?? top
  return top
}

function teamsIn(runs: readonly SessionRunRow[]): readonly ParentRun[] {
  const teams = runs.filter((run) => run.team_id && !run.parent_run_id).reverse()
  const waiting = teams.filter(({ status }) => status === "PAUSED")
  return [...new Set([...waiting, ...teams])]
    .slice(0, maxTeams)
    .flatMap(placesOf)
    .map((one) => ({ ...one, guessed: true }))
}

function placesOf(run: SessionRunRow | undefined): readonly ParentRun[] {
  if (run?.workflow_id) return [{ runner: "workflows", component: run.workflow_id, runId: run.run_id }]
  return run?.team_id ? [{ runner: "teams", component: run.team_id, runId: run.run_id }] : []
}

/** Makes a client. A continue is a form, and waits until the run pauses or ends. It is never sent again by itself. */
export function createRunsClient(options: RunsOptions): RunsClient {
  const { name, url, token, timeoutMs, resumeMs, way, dispatcher } = options
  const common = { name, url, token, bodyLimitBytes: bodyLimit, way, dispatcher }
  const reads = createTransport({ ...common, timeoutMs, connections: 4 })
  const continues = createTransport({ ...common, timeoutMs: resumeMs, connections: maxContinues })
  const reader = createReader({ name, url })
  const sessions = createParentsReader(reads, reader)
  return {
    read: async (address) => {
      const request: Request = { method: "GET", path: `${runPath(address)}?session_id=${part(address.sessionId)}` }
      const answer = await get(reads, request)
      return answer.status === 404 ? null : runIn(reader, request, answer)
    },
    parentsOf: sessions.parentsOf,
    continue: (address, { explicit, background }, mayLeave) => {
      const form = formOf({ session_id: address.sessionId, stream: "false" })
      if (explicit !== null) form.set(explicit.name, explicit.text)
      if (background) form.set("background", "true")
      const own = mayLeave === undefined ? {} : { mayLeave }
      return send(continues, reader, { method: "POST", path: `${runPath(address)}/continue`, form, ...own })
    },
    close: async () => void (await Promise.all([reads.close(), continues.close()])),
  }
}

async function send(transport: Transport, reader: Reader, request: Request): Promise<Continued> {
  const answer = await unlessHeldBack(transport.exchange(request))
  if (answer === null) return { kind: "held-back" }
  const { status } = answer
  const detail = reader.words(answer)
  if (status === 200) return { kind: "run", run: runIn(reader, request, answer) }
  if (status === 202) return { kind: "accepted" }
  if (status === 409 && detail.includes("background=true")) return { kind: "queued", detail }
  // An unknown run is a 404 since AgentOS 3.0, and 200 with ERROR before (`docs/platform-facts.md` 5.2).
  if (status === 404 || status >= 500) return { kind: "unsure", status, detail }
  return { kind: "refused", status, detail }
}

/** The run in an answer. Numbers stay as they are written, because we must send back exactly what was stored. */
function runIn(reader: Reader, request: Request, answer: HttpAnswer): Run {
  reader.json(request, answer)
  const read = readRun(parseExactly(answer.text))
  return read.success ? read.data : reader.fail(request, "unexpected_shape", whyNot(read.error))
}

/**
 * Finds the run that another run belongs to, in its session. If there are several databases, it asks the instance's own
 * (`docs/platform-facts.md`, trap 75).
 */
function createParentsReader(transport: Transport, reader: Reader) {
  const ask = async (path: string): Promise<{ readonly request: Request; readonly answer: HttpAnswer }> => {
    const request: Request = { method: "GET", path }
    return { request, answer: await get(transport, request) }
  }
  const read = createDatabaseReader({
    read: ask,
    asks: ({ answer }) => asksWhichDatabase({ status: answer.status, detail: reader.words(answer) }),
    own: async () => {
      const { request, answer } = await ask("/config")
      return ownDatabase(reader.json(request, answer))
    },
  })
  const parentsOf = async (sessionId: string, runId: string): Promise<readonly ParentRun[] | null> => {
    const { request, answer } = await read(`/sessions/${part(sessionId)}/runs`)
    if (answer.status === 404) return null
    const runs = reader.parse(request, z.array(sessionRunRow), reader.json(request, answer))
    return parentsIn(runs, runId)
  }
  return { parentsOf }
}

function runPath({ runner, component, runId }: RunAddress): string {
  return `/${runner}/${part(component)}/runs/${part(runId)}`
}

function part(text: string): string {
  return encodeURIComponent(text)
}
