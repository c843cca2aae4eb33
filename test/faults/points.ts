// Puts labelled points before and after every effect and commit, that is, around every call of the flow to the outside.
import type { CaseEvent } from "../../src/domain/case/event.ts"
import type { Commit, Platform, Ports, Runs } from "../../src/flow/ports.ts"

/** Called at each point with its label, `port.method:before` or `port.method:after`. A call waits until it returns. */
export type Reach = (label: string) => void | Promise<void>

type Method = (...given: unknown[]) => unknown

/** The ports whose calls go to the outside. */
type Outside =
  | "store"
  | "identityLinks"
  | "views"
  | "homes"
  | "summaries"
  | "continues"
  | "chat"
  | "people"
  | "jobs"
  | "tickets"
  | "pace"
  | "backlog"
  | "toldOrders"
type MethodsOf<Name extends string, Port> = `${Name}.${keyof Port & string}`
/** A method of a port, such as `chat.postCard`. */
export type PortMethod =
  | { readonly [Name in Outside]: MethodsOf<Name, Ports[Name]> }[Outside]
  | MethodsOf<"platform", Platform>
  | MethodsOf<"runs", Runs>
/** What labels of points begin with. */
export type PointName = Exclude<PortMethod, "store.commit"> | `store.commit.${CaseEvent["kind"] | "note"}`

/**
 * The same ports, which tell where they are. A commit's label names what it is about, such as
 * `store.commit.decided:before`.
 */
export function withPoints(ports: Ports, reach: Reach): Ports {
  const around = (port: string, name: string, run: Method): Method => {
    return async (...given) => {
      const label = `${port}.${name}${name === "commit" ? `.${aboutOf(given[0] as Commit)}` : ""}`
      await reach(`${label}:before`)
      const result = await run(...given)
      await reach(`${label}:after`)
      return result
    }
  }
  return mapPorts(ports, (port, name, run) =>
    lists.has(name)
      ? (...given) => eachAround(`${port}.${name}`, () => run(...given) as AsyncIterable<unknown>, reach)
      : around(port, name, run),
  )
}

/** What answers piece by piece. */
const lists: ReadonlySet<string> = new Set(["pending", "audits", "openApprovals"])

async function* eachAround(label: string, run: () => AsyncIterable<unknown>, reach: Reach): AsyncGenerator<unknown> {
  await reach(`${label}:before`)
  for await (const some of run()) {
    await reach(`${label}:after`)
    yield some
  }
}

/**
 * The events that name a commit, the most telling first; a commit without any is a `note` (a lease, a model, an
 * attempt).
 */
const telling: readonly CaseEvent["kind"][] = [
  "opened",
  "decided",
  "resolved",
  "recovered",
  "elsewhere",
  "revised",
  "voted",
  "held",
  "expired",
  "escalated",
  "reminded",
  "continued",
  "run-ended",
  "placed",
  "closed",
]

function aboutOf({ events }: Commit): string {
  const kinds = events.map((event) => event.kind)
  return telling.find((kind) => kinds.includes(kind)) ?? kinds[0] ?? "note"
}

/**
 * The ports with each method of each port outside replaced. `replace` is given the port's name, the method's, and the
 * method.
 */
export function mapPorts(ports: Ports, replace: (port: string, name: string, run: Method) => Method): Ports {
  const mapped = <T extends object>(port: string, target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name)
        if (typeof member !== "function") return member
        return replace(port, String(name), (...given) => Reflect.apply(member, object, given))
      },
    })
  const {
    store,
    underAny,
    identityLinks,
    views,
    homes,
    summaries,
    continues,
    chat,
    people,
    jobs,
    tickets,
    pace,
    backlog,
    toldOrders,
  } = ports
  return {
    ...ports,
    store: mapped("store", store),
    underAny: mapped("store", underAny),
    identityLinks: mapped("identityLinks", identityLinks),
    views: mapped("views", views),
    homes: mapped("homes", homes),
    summaries: mapped("summaries", summaries),
    continues: mapped("continues", continues),
    chat: mapped("chat", chat),
    people: mapped("people", people),
    jobs: mapped("jobs", jobs),
    tickets: mapped("tickets", tickets),
    pace: mapped("pace", pace),
    backlog: mapped("backlog", backlog),
    toldOrders: mapped("toldOrders", toldOrders),
    platforms: new Map([...ports.platforms].map(([name, platform]) => [name, mapped("platform", platform)])),
    runs: new Map([...ports.runs].map(([name, runs]) => [name, mapped("runs", runs)])),
  }
}
