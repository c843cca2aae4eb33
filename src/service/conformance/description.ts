// Compares answers of a platform with what its own `GET /openapi.json` says about them (specification 2.4, 9.1).
import { z } from "zod"
import type { CheckFamily, CheckOutcome, CheckResult, Send, WireReply, WireRequest } from "./check.ts"
import { checksOf, routePlace } from "./claims.ts"
import { faultIn, jsonOf, outcomeOf } from "./judge-reply.ts"

const described = z.object({ content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).default({}) })
const operation = z.object({ responses: z.record(z.string(), described) })
const descriptionShape = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})

/** Statuses that any route may answer with, so routes need not list them. */
const anywhere: ReadonlySet<number> = new Set([401, 403, 405, 413, 429, 500, 501, 502, 503, 504])

/** Wraps `send`. Once there is a description, each answer is compared with it, and each family gets a result. */
export function compareAnswers(send: Send) {
  let judge: ReturnType<typeof readDescription> = null
  const judged = new Map<CheckFamily, CheckResult>()
  const note = (request: WireRequest, reply: WireReply): void => {
    const { family } = routePlace(`${request.method} ${request.path.replace(/\?.*/, "")}`)
    const outcome = judge?.(request, reply) ?? null
    if (outcome === null || judged.get(family)?.outcome.kind === "deviates") return
    const says = `answers of ${family} are as /openapi.json says`
    judged.set(family, {
      ...checksOf(family, "9.1").open({ says, request: `${request.method} ${request.path}` }),
      outcome,
    })
  }
  return {
    send: async (request: WireRequest): Promise<WireReply> => {
      const reply = await send(request)
      note(request, reply)
      return reply
    },
    by: (document: unknown): void => void (judge = readDescription(document)),
    /** A result for each family: the first fault, if there is one. */
    results: (): readonly CheckResult[] => [...judged.values()],
  }
}

/** Reads a description; null if the document is none. The function judges an answer, or returns null if it cannot. */
export function readDescription(document: unknown) {
  const text = JSON.stringify(document).replaceAll('"#/components/schemas/', '"#/$defs/')
  const read = descriptionShape.safeParse(JSON.parse(text))
  if (!read.success) return null
  const { paths, components } = read.data
  const $defs = components.schemas
  const literalsFirst = Object.keys(paths).toSorted((one, other) => one.split("{").length - other.split("{").length)
  const known = literalsFirst.map((path) => ({ pattern: patternOf(path), methods: paths[path] ?? {} }))
  return ({ method, path }: Pick<WireRequest, "method" | "path">, reply: WireReply): CheckOutcome | null => {
    const [bare = ""] = path.split("?")
    const fitting = known.flatMap(({ pattern, methods }) => (pattern.test(bare) ? [methods[method.toLowerCase()]] : []))
    const entry = operation.safeParse(fitting.find((one) => one !== undefined)).data
    if (entry === undefined || anywhere.has(reply.status)) return null
    const told = entry.responses[reply.status] ?? entry.responses["default"]
    const named = `status ${Object.keys(entry.responses).join(", ")}`
    if (told === undefined) return outcomeOf(named, reply)
    const schema = told.content["application/json"]?.schema
    const isJson = (reply.headers["content-type"] ?? "").startsWith("application/json") && reply.text !== ""
    return schema === undefined || !isJson ? null : judge(Object.assign({}, schema, { $defs }), reply)
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{[^}]*\}/g, "[^/]+")}/?$`)
}

function judge(schema: object, reply: WireReply): CheckOutcome | null {
  try {
    return outcomeOf(faultIn(z.fromJSONSchema({ ...schema }), jsonOf(reply)), reply)
  } catch {
    return null // zod throws a plain error for each keyword that it does not know
  }
}
