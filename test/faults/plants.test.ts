// The planted bugs: each changes what the flow gets, so that a schedule can find it.
import { expect, test } from "vitest"
import type { Ports } from "../../src/flow/ports.ts"
import type { Ended } from "./drive.ts"
import { plantBug, plants } from "./plants.ts"
import { isFinding, plantedIn, plantLine } from "./results.ts"

const names = Object.keys(plants)
const vote = { person: "T:U0ALICE" }
const lines = [{}, {}, { first: 0, events: [] }]

/** What each method is called with, in turn; what is not listed gets nothing. */
const given: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  "store.commit": [
    [{ next: { id: "c-1", votes: [vote] }, events: [{ kind: "voted" }] }],
    [{ next: { id: "c-1", votes: [] }, events: [{ kind: "withdrawn" }] }],
    [{ next: { id: "c-1", votes: [] }, events: [{ kind: "resolved" }] }],
    [{ next: { id: "c-1", votes: [] }, events: [{ kind: "counterproposal-answered" }], besides: [{}] }],
    [{ next: { id: "c-1", votes: [] }, events: [{ kind: "decided", by: "again" }], besides: [{}] }],
  ],
  "store.known": [["main", ["a-1", "a-2"]]],
  "platform.get": [["a-1"], ["a-1"]],
  "platform.resolve": [["a-1", JSON.stringify({ status: "approved", resolution_data: { countersign: {} } }), {}]],
  "chat.postCard": [[{ route: "channel:C0APPROVALS" }], [{ route: "person:U0RITA" }]],
  "chat.tell": [lines, lines, lines],
  "tickets.write": [[{ interaction: "i-1" }]],
  "pace.reserve": [[{ lanes: ["conversations.history"] }], [{ lanes: ["chat.update"] }]],
  "chat.postSummary": [[{ route: "channel:C0APPROVALS" }]],
  "runs.continue": [[{ status: "CANCELLED", tools: [{ result: "sent" }] }]],
}
/** Often enough for a bug that strikes each third time. */
const thrice = [[], [], []]

const outside = {
  store: ["commit", "known", "unfinished", "deadlines", "sums", "sentBackIn"],
  chat: [
    "postCard",
    "findCard",
    "updateCard",
    "settleClicked",
    "answer",
    "tell",
    "countLines",
    "postSummary",
    "tellOnSummary",
    "tellAnswer",
    "look",
  ],
  people: ["members"],
  jobs: ["resolve", "resume"],
  tickets: ["write"],
  identityLinks: [],
  views: [],
  homes: [],
  summaries: [],
  continues: [],
  pace: ["reserve"],
  backlog: [],
  toldOrders: [],
} as const

const freshness = ["enter", "judge"] as const

const failing: ReadonlySet<string> = new Set(["platform.resolve", "chat.findCard"])

/** Ports that note every call that comes through to the outside. */
function notingPorts(calls: string[]): Ports {
  const port = (name: string, methods: readonly string[]) => notingPort(calls, name, methods)
  const ports = Object.fromEntries(Object.entries(outside).map(([name, methods]) => [name, port(name, methods)]))
  return {
    ...ports,
    people: { ...ports["people"], home: { team: "T", enterprise: null } },
    platforms: new Map([["main", port("platform", ["get", "newest", "resolve", "upForMs"])]]),
    runs: new Map([["main", port("runs", ["continue"])]]),
    conduct: new Map([["main", { resume: "off", rejectUserInput: "hold", resumeMs: 1 }]]),
    underAny: port("underAny", ["commit"]),
    clock: () => 5,
  } as unknown as Ports
}

function notingPort(calls: string[], name: string, methods: readonly string[]) {
  return Object.fromEntries(
    methods.map((method) => [
      method,
      async (...args: unknown[]) => {
        calls.push(`${name}.${method} ${JSON.stringify(args)}`)
        if (failing.has(`${name}.${method}`)) throw new Error("no answer")
        if (method === "commit") return { kind: "config" }
        if (method === "continue") return { kind: "run", run: args[0] }
        if (method === "sums") return [{ state: { amounts: { all: { "1": "10" } } } }]
        return method === "known" ? new Map() : { call: calls.length }
      },
    ]),
  )
}

/** All that comes of calling everything, and what the outside heard. */
async function playedWith(plant: string | null): Promise<string> {
  const calls: string[] = []
  const { around, aroundFreshness } = plantBug(plant)
  const ports = around(notingPorts(calls))
  const spoken: string[] = []
  const callAll = async (name: string, methods: readonly string[], port: unknown) => {
    for (const method of methods)
      for (const args of given[`${name}.${method}`] ?? thrice) {
        const call = (port as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]
        const result = await call?.(...args).catch((error: unknown) => String(error))
        spoken.push(JSON.stringify(result instanceof Map ? [...result] : (result ?? "nothing")))
      }
  }
  for (const [name, methods] of Object.entries(outside)) await callAll(name, methods, ports[name as keyof Ports])
  await callAll("freshness", freshness, aroundFreshness(notingPort(calls, "freshness", freshness) as never))
  await callAll("platform", ["get", "newest", "resolve", "upForMs"], ports.platforms.get("main"))
  await callAll("runs", ["continue"], ports.runs.get("main"))
  return [...calls, ...spoken, JSON.stringify([...ports.conduct])].join("\n")
}

test("without a bug everything goes through as it is", async () => {
  expect(await playedWith(null)).toBe(await playedWith(null))
})

test.each(names)("the planted bug %s changes what the flow does or sees", async (name) => {
  expect(await playedWith(name)).not.toBe(await playedWith(null))
})

test("more than ten bugs can be planted, and a name that is none is an error", () => {
  expect(names.length).toBeGreaterThanOrEqual(10)
  expect(() => plantBug("none of them")).toThrow("no planted bug is called none of them")
})

const end: Ended = {
  seed: 7,
  violations: [],
  struck: [],
  convergedMs: 1,
  told: {},
  timeline: [],
  hung: false,
}

test("a bug is found by what the bot did wrong, not by a harness that failed or a lane that hung", () => {
  const wrong = { ...end, violations: ["two"] }

  const found = plantedIn("card-twice", [end, wrong])
  expect(found).toEqual({ plant: "card-twice", seed: 7, breach: "two", seeds: 2 })
  expect(plantLine(found)).toBe("card-twice: found within 2 seeds (seed 7: two)")
  expect(plantLine(plantedIn("card-twice", [end]))).toBe("card-twice: not found in 1 seeds")
  expect(isFinding({ ...end, violations: ["the harness failed: x"] })).toBe(false)
  expect(isFinding({ ...wrong, hung: true })).toBe(false)
})
