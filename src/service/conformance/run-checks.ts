// Checks of runs, their events, and approvals (specification 3, 4.1, 4.2, 6). They cancel runs and delete approvals.
import { z } from "zod"
import { runStatuses } from "../engine/run.ts"
import { approvalResponse } from "../storage/approval-row.ts"
import type { AskedPlatform } from "./asking.ts"
import { onlyReads, type PlatformCheck } from "./check.ts"
import { checksOf } from "./claims.ts"
import { jsonOf } from "./judge-reply.ts"
import { errorBody } from "./shapes.ts"
import { form, judgeStream, oweRun, streamed } from "./stream-checks.ts"

const text = z.string()
const resolve = checksOf("approvals", "4.1")
const approvals = checksOf("approvals", "4.2")
const runs = checksOf("agents", "4.3")

/** A run that answers without a stream. */
const answered: PlatformCheck = runs.fixed({
  section: "2.2",
  says: "a run without a stream answers in one of the states",
  request: "POST /agents/{agent}/runs",
  form: { ...form, stream: "false" },
  shape: z.looseObject({ run_id: text, session_id: text, status: z.enum(runStatuses) }),
  holds: { session_id: "{own}" },
})

/** Starts `{agent}` twice, if the options name one: to check its events, and to get an approval to decide. */
export async function checkRuns(asking: AskedPlatform): Promise<void> {
  if (asking.wordOf("message") === undefined) {
    const why = asking.writes ? "it starts an agent; --agent names the one to start" : onlyReads
    for (const one of [streamed, answered]) asking.tell({ ...one, outcome: { kind: "untested", why } })
    return
  }
  const reply = await asking.check(streamed)
  if (reply?.status === 200) await judgeStream(asking, reply)
  const body = await asking.check(answered)
  const run = body === null ? null : pausedRun.safeParse(jsonOf(body))
  if (run?.success !== true) return
  const [first] = await oweRun(asking, run.data.run_id)
  asking.keep("approval", first)
  asking.tell({
    ...approvals.open({
      says: "a run that paused at a gated call has an approval",
      request: "GET /approvals?run_id={run}",
    }),
    outcome:
      first === undefined
        ? { kind: "untested", why: "the run paused at a call that asks for no approval" }
        : { kind: "passed" },
  })
}

const pausedRun = z.looseObject({ run_id: text, status: z.literal("PAUSED") })

/** An approval that no run waits for. Only some platforms can make one. */
const asked: Pick<PlatformCheck, "request" | "json"> = {
  request: "POST /approvals",
  json: { tool_name: "{own}", tool_args: { of: "a check" }, user_id: "{own}" },
}

/** Requests that a resolve must refuse, about the approval of the checks or about none. */
function resolveRefusals(id: string): readonly PlatformCheck[] {
  const request = `POST /approvals/${id}/resolve`
  return [
    resolve.invalid({ section: "4.1", says: "a resolve without a status is 422", request, json: {} }),
    ...["pending", "expired", 1].map((status) =>
      resolve.invalid({
        section: "4.1",
        says: `a resolve with the status ${JSON.stringify(status)} is 422`,
        request,
        json: { status },
      }),
    ),
    resolve.invalid({
      section: "4.1",
      says: "a resolved_by of 256 characters is 422",
      request,
      json: { status: "rejected", resolved_by: "a".repeat(256) },
    }),
    resolve.invalid({
      section: "4.1",
      says: "a resolution_data that is a list is 422",
      request,
      json: { status: "rejected", resolution_data: [] },
    }),
  ]
}

const unknown: readonly PlatformCheck[] = [
  resolve.refused(404, {
    section: "4.1",
    says: "a resolve of an unknown id is 404",
    request: "POST /approvals/{none}/resolve",
    json: { status: "rejected" },
  }),
  approvals.refused(404, {
    section: "4.2",
    says: "to delete an unknown id is 404",
    request: "DELETE /approvals/{none}",
  }),
]

const pendingChecks: readonly PlatformCheck[] = [
  approvals.fixed({
    section: "2.1",
    says: "an approval has the fields of the model",
    request: "GET /approvals/{approval}",
    shape: approvalResponse,
    holds: { id: "{approval}", status: "pending" },
  }),
  approvals.open({
    says: "GET /approvals/*/status tells how it stands",
    request: "GET /approvals/{approval}/status",
    shape: z.looseObject({ approval_id: text, run_id: text, resolved_at: z.null(), resolved_by: z.null() }),
    holds: { status: "pending" },
  }),
  approvals.open({
    says: "GET /approvals/count counts it",
    request: "GET /approvals/count",
    shape: z.looseObject({ count: z.int().min(1) }),
  }),
]

const rejection = { status: "rejected", resolved_by: "{own}", resolution_data: { of: "a check", digits: 12 } }

const settledChecks: readonly PlatformCheck[] = [
  resolve.refused(409, {
    section: "3.1",
    says: "the same resolve once more is 409",
    request: "POST /approvals/{approval}/resolve",
    json: rejection,
  }),
  resolve.refused(409, {
    section: "3.1",
    says: "another verdict after that is 409",
    request: "POST /approvals/{approval}/resolve",
    json: { status: "approved" },
  }),
  resolve.fixed({
    section: "3.1",
    says: "the record keeps status and resolution_data",
    request: "GET /approvals/{approval}",
    shape: approvalResponse,
    holds: { status: "rejected", resolution_data: rejection.resolution_data },
  }),
  resolve.fixed({
    section: "3.1",
    says: "the record keeps the resolved_by of the request",
    request: "GET /approvals/{approval}",
    holds: { resolved_by: "{own}" },
  }),
  approvals.open({
    says: "its status says by whom",
    request: "GET /approvals/{approval}/status",
    shape: z.looseObject({ resolved_by: text, resolved_at: z.int() }),
    holds: { status: "rejected" },
  }),
  approvals.open({
    says: "an approval is deleted",
    request: "DELETE /approvals/{approval}",
    status: 204,
    undoes: true,
  }),
  approvals.refused(404, {
    section: "4.2",
    says: "an approval that was deleted is 404",
    request: "GET /approvals/{approval}",
  }),
]

/** How many resolves are sent at once. */
const crowd = 8

const race: PlatformCheck = resolve.open({
  section: "3.1",
  says: `of ${crowd} resolves at once one takes effect, and the others are 409`,
  request: "POST /approvals/{approval}/resolve",
  json: rejection,
  status: [200, 409],
  shape: z.union([approvalResponse, errorBody]),
})

/** Resolves an approval that belongs to the checks: of a run that paused, or made by `POST /approvals`. */
export async function checkApprovals(asking: AskedPlatform): Promise<void> {
  for (const check of unknown) await asking.check(check)
  if (asking.wordOf("approval") === undefined && asking.writes) await askForOne(asking)
  const isThere = asking.wordOf("approval") !== undefined
  for (const check of resolveRefusals(isThere ? "{approval}" : "{none}")) await asking.check(check)
  if (!isThere) return untestedApprovals(asking)
  for (const check of pendingChecks) await asking.check(check)
  await raceFor(asking)
  for (const check of settledChecks) await asking.check(check)
}

function untestedApprovals(asking: AskedPlatform): void {
  const why = asking.writes ? "no approval could be made; --agent names an agent that pauses" : onlyReads
  for (const check of [...pendingChecks, race, ...settledChecks])
    asking.tell({ ...check, outcome: { kind: "untested", why } })
}

async function askForOne(asking: AskedPlatform): Promise<void> {
  const reply = await asking.ask(asked).catch(() => null)
  if (reply?.status !== 201) return
  const read = z.looseObject({ id: text }).safeParse(jsonOf(reply))
  if (!read.success) return
  asking.keep("approval", read.data.id)
  asking.owe("DELETE /approvals/{approval}")
}

async function raceFor(asking: AskedPlatform): Promise<void> {
  const replies = await Promise.all(Array.from({ length: crowd }, () => asking.ask(race).catch(() => null)))
  const statuses = replies.map((reply) => String(reply?.status ?? "none")).toSorted()
  const isRight = statuses.join() === ["200", ...Array.from({ length: crowd - 1 }, () => "409")].join()
  asking.tell({
    ...race,
    outcome: isRight
      ? { kind: "passed" }
      : { kind: "deviates", expected: `200 once and 409 ${crowd - 1} times`, got: statuses.join(", ") },
  })
}
