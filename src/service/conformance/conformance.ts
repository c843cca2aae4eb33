// Tests a platform against the specification: asks all checks, reports what deviates, and leaves nothing behind.
import { z } from "zod"
import { type AskedPlatform, type AskingOptions, fieldOf, startAsking } from "./asking.ts"
import {
  type CheckFamily,
  type CheckResult,
  families,
  onlyReads,
  type PlatformCheck,
  type Scenario,
  type Send,
  type WireReply,
} from "./check.ts"
import { compareAnswers } from "./description.ts"
import { gateScenarios, neverAsked } from "./gate-checks.ts"
import { jsonOf, shownReply } from "./judge-reply.ts"
import { readingScenarios } from "./reading-checks.ts"
import { checkApprovals, checkRuns } from "./run-checks.ts"
import { startingScenarios } from "./starting-checks.ts"
import { checkA2a } from "./stream-checks.ts"
import { writingScenarios } from "./writing-checks.ts"

/** What is tested, and how. */
export interface ConformanceOptions extends Pick<AskingOptions, "send" | "token" | "write" | "signal"> {
  /** Only these families; null: all. */
  readonly only: readonly CheckFamily[] | null
  /** The agent that may be started, and its message; null: no agent is started. */
  readonly agent: { readonly id: string; readonly message: string } | null
  /** Eight or more characters of `a-z0-9` that nobody can guess. */
  readonly tag: string
  /** Called with each family when we begin to ask its checks. */
  readonly onProgress: (family: CheckFamily) => void
}

/** The result of a test. */
export interface Conformance {
  /** Family by family, in the order of a report. */
  readonly results: readonly CheckResult[]
  /** What the checks made and could not remove. */
  readonly leftovers: readonly string[]
  /** The database that each request had to name; null: none. */
  readonly database: string | null
  /** True: it was stopped before its end. */
  readonly interrupted: boolean
}

/** Asks all checks. No answer of the platform makes it throw. Whatever happens, it removes what the checks made. */
export async function testConformance(options: ConformanceOptions): Promise<Conformance> {
  const { only, tag, agent, onProgress } = options
  const results: CheckResult[] = []
  const isWanted = ({ family }: { readonly family: CheckFamily }) => only === null || only.includes(family)
  const own = `countersign-conformance-${tag}`
  const words = { own, none: `countersign-none-${tag}` }
  const onResult = (result: CheckResult) => void (isWanted(result) && results.push(result))
  const compared = compareAnswers(options.send)
  const asking = startAsking({ ...options, send: compared.send, words, onResult })
  try {
    const reply = await asking.ask({ request: "GET /openapi.json" }).catch(() => null)
    if (reply?.status === 200) compared.by(jsonOf(reply) ?? null)
    await nameAgent(asking, agent)
    for (const scenario of scenariosOf(only)) {
      onProgress(scenario.family)
      await runScenario(asking, scenario, isWanted)
    }
    for (const result of compared.results()) asking.tell(result)
    for (const check of neverAsked) asking.tell({ ...check, outcome: { kind: "untested", why: neverWhy } })
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    await asking.takeAway()
  }
  const order = (result: CheckResult) => families.indexOf(result.family)
  return {
    results: results.toSorted((one, other) => order(one) - order(other)),
    leftovers: asking.leftovers(),
    database: asking.database(),
    interrupted: options.signal.aborted,
  }
}

const neverWhy = "a platform that let it in would change what is not the check's own"

/** One part of the test: checks as data, or steps that depend on earlier answers. */
type Part = Scenario | Steps

interface Steps extends Pick<Scenario, "family"> {
  /** The families of its results. */
  readonly about: readonly CheckFamily[]
  readonly run: (asking: AskedPlatform) => Promise<void>
}

const parts: readonly Part[] = [
  ...gateScenarios,
  ...readingScenarios,
  ...writingScenarios,
  ...startingScenarios,
  {
    family: "approvals",
    about: ["approvals", "agents"],
    run: async (asking) => {
      await checkRuns(asking)
      await checkApprovals(asking)
    },
  },
  { family: "a2a", about: ["a2a"], run: checkA2a },
]

/** The parts that are about one of these families. The last part of the gate is about all families. */
function scenariosOf(only: readonly CheckFamily[] | null): readonly Part[] {
  const isAbout = (part: Part) =>
    only === null ||
    ("checks" in part ? part.checks.map(({ family }) => family) : part.about).some((family) => only.includes(family))
  return parts.filter(isAbout)
}

async function runScenario(
  asking: AskedPlatform,
  part: Part,
  isWanted: (check: Pick<PlatformCheck, "family">) => boolean,
): Promise<void> {
  if ("run" in part) await part.run(asking)
  else if (part.makes === true && !asking.writes)
    for (const check of part.checks) asking.tell({ ...check, outcome: { kind: "untested", why: onlyReads } })
  else
    for (const check of part.checks)
      if (isWanted(check) || check.keep !== undefined || check.undoes === true) await asking.check(check)
  await asking.takeAway()
}

/** Decides what `{agent}` means: the agent that may be started, else the first in the platform's list. */
async function nameAgent(asking: AskedPlatform, agent: ConformanceOptions["agent"]): Promise<void> {
  if (agent !== null) {
    asking.keep("message", agent.message)
    return asking.keep("agent", agent.id)
  }
  const reply = await asking.ask({ request: "GET /agents" }).catch(() => null)
  const list = reply === null ? null : z.array(z.unknown()).safeParse(jsonOf(reply))
  asking.keep("agent", list?.success === true ? fieldOf(list.data[0], "id") : undefined)
}

/** The list that every platform must have: the first request of a test. */
const firstPath = "/approvals?limit=1"

/** Says why checks cannot begin, in words that can follow the address; null if they can. Throws what `send` throws. */
export async function whyNotTestable(send: Send, token: string): Promise<string | null> {
  const headers = { accept: "application/json", authorization: `Bearer ${token}` }
  const reply = await send({ method: "GET", path: firstPath, headers, body: null })
  const said = shownReply(reply).replaceAll(token, "…")
  if (reply.status >= 300 && reply.status < 400)
    return `redirects ${redirectWords(reply)}; give the address of the platform`
  if (reply.status === 401) return `does not take the credential: ${said}`
  if (isPage(reply)) return "answers with a web page; it is no Agent Platform Service, or a log-in stands before it"
  if (reply.status < 300 && jsonOf(reply) === undefined) return `answers no JSON: ${said}`
  if (reply.status >= 502 && reply.status <= 504) return `cannot answer now: ${said}`
  return null
}

function isPage({ headers, text }: WireReply): boolean {
  return (headers["content-type"] ?? "").startsWith("text/html") || /^\s*<(?:!doctype|html)\b/i.test(text)
}

/** Where a redirect leads, without the query, which may name a person. */
function redirectWords({ headers }: WireReply): string {
  const [place = ""] = (headers["location"] ?? "").split(/[?#]/)
  return place === "" ? "elsewhere" : `to ${place}`
}
