// The arrows between the folders of a module: which room may import which, and what is a breach of that.
import { posix } from "node:path"
import { importsIn, moduleOf, withoutComments } from "./imports.ts"

/**
 * For each folder of a module the folders that it may import: all of `a`, or only types of it where it says `type:a`,
 * as what somebody is handed. `.` is what stands in the module itself.
 */
export type Rooms = Readonly<Record<string, readonly string[]>>

/** The tables of all modules, and the modules with folders that have no table yet. */
export interface RoomTables {
  readonly rooms: Readonly<Record<string, Rooms>>
  readonly open: readonly string[]
}

/** One table for each module with folders. An arrow stands here only while somebody needs it. */
export const rooms: RoomTables["rooms"] = {
  bot: {
    ".": ["webhooks"],
    webhooks: ["."],
  },
  cli: {
    ".": [
      "demo",
      "doctor",
      "installation",
      "ledger",
      "orders",
      "people",
      "policy",
      "report",
      "service",
      "simulate",
      "webhooks",
    ],
    policy: [".", "doctor", "installation"],
    simulate: [".", "installation"],
    demo: [".", "installation", "ledger"],
    people: [".", "installation"],
    orders: [".", "installation", "people"],
    ledger: [".", "installation"],
    report: [".", "installation", "ledger"],
    service: ["."],
    webhooks: [".", "installation", "people"],
    doctor: ["type:.", "installation"],
    installation: ["type:."],
  },
  config: {
    ".": ["checks", "parts", "reading", "schema"],
    parts: ["reading", "schema"],
    checks: ["parts", "reading", "type:schema"],
    reading: ["schema"],
    schema: [],
  },
  domain: {
    report: ["case", "content"],
    simulation: ["case", "condition", "content", "limit", "people", "policy", "rule", "text"],
    case: ["content", "type:fingerprint", "people", "policy", "type:proof", "rule", "send-back", "text"],
    policy: ["condition", "content", "type:fingerprint", "limit", "people", "rule", "text"],
    glass: ["case", "content", "type:limit", "people", "type:policy", "type:rule"],
    question: ["case", "people"],
    order: ["case", "content", "people", "policy", "rule", "text"],
    again: ["case", "content", "people", "policy", "type:proof", "type:rule"],
    "send-back": ["content", "people", "text"],
    fingerprint: ["condition", "content", "text"],
    limit: ["condition", "content", "type:rule"],
    trying: ["condition", "content", "limit", "policy", "rule"],
    rule: ["content", "type:text"],
    text: ["content"],
    proof: ["content"],
    condition: ["content"],
    people: ["content"],
    content: [],
  },
  flow: {
    vote: [".", "again", "card", "case", "people", "type:ports", "query", "resolve", "resume"],
    webhook: ["type:."],
    resume: [".", "case", "poll", "resolve"],
    deadline: [".", "again", "card", "case", "people", "resolve", "resume"],
    card: [".", "case", "people", "ports", "resolve"],
    again: [".", "case", "people", "type:ports", "resolve", "resume"],
    query: [".", "case", "people", "ports"],
    resolve: [".", "case", "people"],
    poll: [".", "card", "case", "people"],
    order: [".", "case", "people", "type:ports", "vote"],
    ".": ["ports"],
    people: [".", "case"],
    ports: ["type:."],
    case: [".", "type:ports"],
  },
  http: {
    page: [".", "export", "reading"],
    export: ["type:.", "reading"],
    orders: [".", "reading"],
    "sign-in": [".", "page"],
    reading: ["."],
    ".": [],
  },
  sandbox: {
    ".": ["delivery", "limits", "serving", "user-actions", "workspace"],
    serving: ["type:.", "type:delivery", "type:limits", "user-actions", "web-api", "workspace"],
    "web-api": ["type:.", "type:delivery", "workspace"],
    "user-actions": ["type:.", "type:delivery", "type:limits", "workspace"],
    workspace: [],
    page: ["type:user-actions", "type:workspace"],
    limits: [],
    delivery: ["type:workspace"],
  },
  service: {
    ".": [
      "a2a",
      "accounts",
      "approvals",
      "catalog",
      "collections",
      "components",
      "eval-runs",
      "gate",
      "instance",
      "knowledge",
      "memories",
      "metrics",
      "model",
      "openapi",
      "resources",
      "runs",
      "schedules",
      "sessions",
      "storage",
      "traces",
      "upstream",
      "wire",
    ],
    catalog: [".", "collections", "components", "engine", "gate", "resources", "storage", "wire"],
    knowledge: [".", "collections", "resources", "storage", "wire"],
    metrics: [".", "components", "resources", "storage", "wire"],
    traces: [".", "collections", "engine", "resources", "storage", "views", "wire"],
    schedules: [".", "collections", "components", "engine", "gate", "resources", "runs", "storage", "wire"],
    model: [".", "engine", "wire"],
    "eval-runs": [".", "collections", "components", "engine", "gate", "resources", "runs", "storage", "wire"],
    memories: [".", "collections", "resources", "storage", "wire"],
    collections: [".", "resources", "storage", "wire"],
    openapi: [".", "instance", "wire"],
    a2a: [".", "components", "engine", "gate", "runs", "storage", "views", "wire"],
    runs: [".", "components", "engine", "resources", "sessions", "storage", "views", "wire"],
    sessions: [".", "components", "resources", "storage", "views", "wire"],
    approvals: [".", "engine", "resources", "storage", "wire"],
    views: [".", "engine", "wire"],
    storage: [".", "engine", "resources", "wire"],
    resources: [".", "wire"],
    components: [".", "engine", "gate", "wire"],
    accounts: [".", "storage", "wire"],
    upstream: [".", "type:gate", "wire"],
    instance: [".", "components", "resources", "storage", "wire"],
    conformance: [".", "engine", "gate", "storage", "wire"],
    gate: [".", "storage", "wire"],
    engine: [".", "wire"],
    wire: [],
  },
  setup: {
    ".": ["redis"],
    redis: ["."],
    release: ["."],
  },
  slack: {
    listeners: [".", "chat", "type:directory", "lines", "lists", "text", "transport", "views"],
    chat: [".", "directory", "lines", "lists", "text", "transport", "views"],
    lists: [".", "lines", "text", "views"],
    ".": ["chat", "directory", "listeners", "text", "transport"],
    views: [".", "lines", "text", "transport"],
    transport: ["."],
    directory: ["transport"],
    text: ["lines"],
    lines: [],
  },
  store: {
    ".": ["admin", "cases", "config", "freshness", "identity", "ledger", "pace", "redis"],
    admin: [".", "cases", "config", "freshness", "identity", "ledger", "pace", "redis"],
    config: [".", "type:freshness", "ledger", "redis"],
    pace: [".", "type:freshness", "ledger", "redis"],
    identity: [".", "type:freshness", "ledger", "redis"],
    freshness: [".", "ledger", "redis"],
    cases: [".", "type:config", "type:freshness", "ledger", "redis"],
    ledger: [".", "type:freshness", "redis"],
    redis: ["."],
  },
}

/** Modules whose table is still to be written. */
export const openModules: RoomTables["open"] = []

/** Every breach of the tables among the files, one line each. Keys are paths below `src`. */
export function roomBreaches(files: ReadonlyMap<string, string>, { rooms, open }: RoomTables): readonly string[] {
  const modules = Map.groupBy([...files.keys()], moduleOf)
  const withRooms = [...modules].filter(([, paths]) => paths.some((path) => roomOf(path) !== "."))
  const needless = open.filter((module) => rooms[module] !== undefined || !withRooms.some(([name]) => name === module))
  return [
    ...needless.map((module) => `${module} is listed as open without need`),
    ...withRooms.flatMap(([module, paths]) => {
      const steps = stepsAmong(paths, files)
      const table = rooms[module]
      if (table !== undefined) return tableBreaches({ module, paths, steps, table })
      return open.includes(module) ? [] : [`${module} has folders and no table; today: ${written(paths, steps)}`]
    }),
  ]
}

/** Every circle between folders, once, as `a -> b -> a`. The module's own files are no folder. */
export function circlesOf(table: Rooms): readonly string[] {
  const circles = Object.keys(table).flatMap((start) => pathsBack(table, [start]))
  return circles.map((circle) => [...circle, circle[0]].join(" -> "))
}

/** The same table, in which an import of types counts as any other. */
export function withTypes(table: Rooms): Rooms {
  const arrows = Object.entries(table).map(([room, to]) => [room, to.map((one) => one.replace("type:", ""))] as const)
  return Object.fromEntries(arrows)
}

/** An import from one room of a module into another. */
interface Step {
  readonly path: string
  readonly from: string
  readonly to: string
  /** As it stands in a table. */
  readonly arrow: string
}

/** A module with its files, the imports between its rooms, and its table. */
interface Module {
  readonly module: string
  readonly paths: readonly string[]
  readonly steps: readonly Step[]
  readonly table: Rooms
}

function stepsAmong(paths: readonly string[], files: ReadonlyMap<string, string>): readonly Step[] {
  return paths.flatMap((path) =>
    importsIn(withoutComments(files.get(path) ?? ""))
      .filter(({ target }) => target.startsWith("."))
      .map(({ target, typeOnly }) => ({ imported: posix.join(posix.dirname(path), target), typeOnly }))
      .filter(({ imported }) => moduleOf(imported) === moduleOf(path) && roomOf(imported) !== roomOf(path))
      .map(({ imported, typeOnly }) => {
        const to = roomOf(imported)
        return { path, from: roomOf(path), to, arrow: typeOnly ? `type:${to}` : to }
      }),
  )
}

function tableBreaches({ module, paths, steps, table }: Module): readonly string[] {
  const there = new Set(paths.map(roomOf))
  const needed = (from: string, arrow: string) => steps.some((step) => step.from === from && step.arrow === arrow)
  const rowless = [...there].filter((room) => table[room] === undefined)
  const gone = Object.keys(table).filter((room) => !there.has(room))
  const isAllowed = (arrows: readonly string[], { to, arrow }: Step) => arrows.includes(to) || arrows.includes(arrow)
  const against = steps.filter((step) => table[step.from] !== undefined && !isAllowed(table[step.from] ?? [], step))
  const needless = Object.entries(table).flatMap(([from, arrows]) =>
    arrows.filter((to) => !needed(from, to)).map((to) => `${from} imports ${to}`),
  )
  return [
    ...rowless.map((room) => `${module}/${room} has no row in the table of ${module}`),
    ...gone.map((room) => `${module} has no folder ${room}, but a row for it`),
    ...against.map(({ path, from, to }) => `${path}: ${from} imports ${to}`),
    ...needless.map((arrow) => `${module}: nobody needs that ${arrow}`),
  ]
}

/** The table that would hold today, to be copied. */
function written(paths: readonly string[], steps: readonly Step[]): string {
  const found = [...new Set(paths.map(roomOf))].toSorted()
  const arrowsOf = (room: string) => {
    const arrows = new Set(steps.flatMap(({ from, arrow }) => (from === room ? [arrow] : [])))
    return [...arrows]
      .filter((arrow) => !arrows.has(arrow.replace("type:", "")) || !arrow.startsWith("type:"))
      .toSorted()
  }
  return JSON.stringify(Object.fromEntries(found.map((room) => [room, arrowsOf(room)])))
}

/** The ways from the first folder of a path back to it, over folders that come later in the alphabet. */
function pathsBack(table: Rooms, path: readonly string[]): readonly (readonly string[])[] {
  const [start = ""] = path
  return (table[path.at(-1) ?? ""] ?? []).flatMap((next) => {
    if (next === start) return [path]
    return next === "." || start === "." || next < start || path.includes(next) ? [] : pathsBack(table, [...path, next])
  })
}

/** The folder of a module in which a file stands, or `.`. */
function roomOf(path: string): string {
  const [, room = ".", ...rest] = path.split("/")
  return rest.length === 0 ? "." : room
}
