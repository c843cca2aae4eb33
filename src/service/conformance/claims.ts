// Makes claims and checks without saying the same thing in each of them.
import { a2aRoutes, type RouteTable, specifiedRoutes } from "../gate/route-table.ts"
import { type CheckFamily, families, type PlatformCheck } from "./check.ts"
import { errorBody, validationBody } from "./shapes.ts"

/** What most checks need to be told. */
type Wish = Omit<PlatformCheck, "family" | "section" | "isOpen" | "status" | "says"> & {
  readonly says: string
  readonly status?: number | readonly number[]
  /** Default: the section of the maker. */
  readonly section?: string
}

/** Where rows are made by POST, and the field of their id. */
interface Makes {
  readonly at: string
  readonly id: string
}

/**
 * Makes checks of one family, whose shapes the specification leaves open unless `fixed` makes them. A row that is made
 * where it should have been refused is taken away.
 */
export function checksOf(family: CheckFamily, section: string, makes: Makes | null = null) {
  const strayOf = ({ request }: Wish) =>
    makes !== null && request === `POST ${makes.at}`
      ? { keep: { stray: makes.id }, undo: `DELETE ${makes.at}/{stray}` }
      : {}
  const make = (wish: Wish, isOpen: boolean): PlatformCheck => {
    const { status = 200, section: own = section, ...rest } = wish
    return { ...rest, family, section: own, isOpen, status: typeof status === "number" ? [status] : status }
  }
  return {
    open: (wish: Wish) => make(wish, true),
    fixed: (wish: Wish) => make(wish, false),
    /** A 422 with the body that 2.3 fixes. */
    invalid: (wish: Wish) =>
      make({ section: "2.3", status: 422, shape: validationBody, ...strayOf(wish), ...wish }, false),
    /** An error with one text as `detail`. */
    refused: (status: number, wish: Wish) =>
      make({ section: "7", shape: errorBody, ...strayOf(wish), ...wish, status }, true),
  }
}

/** Every route of the specification, the A2A ones under their default prefix. */
export const allRoutes: RouteTable = { ...specifiedRoutes, ...a2aRoutes() }

/** Families by a path's first segment, where the two names differ. */
const familyNames: Readonly<Record<string, CheckFamily>> = {
  models: "config",
  databases: "config",
  memory_topics: "memories",
  user_memory_stats: "memories",
  "optimize-memories": "memories",
  "eval-runs": "evals",
  trace_session_stats: "traces",
  "service-accounts": "accounts",
}

/** The family and the section of a route. */
export function routePlace(pattern: string): { readonly family: CheckFamily; readonly section: string } {
  const segment = /^\S+ \/([^/]+)/.exec(pattern)?.[1] ?? ""
  const family = familyNames[segment] ?? families.find((name) => name === segment) ?? "general"
  if (family === "a2a") return { family, section: "4.4" }
  if (family !== "approvals") return { family, section: "4.3" }
  return { family, section: pattern.endsWith("/resolve") ? "4.1" : "4.2" }
}

/** A request to a route about something that does not exist, with a body that no route takes. */
export function routeRequest(pattern: string): Pick<PlatformCheck, "request" | "json"> {
  // Versions are numbers.
  const request = pattern.replace("/configs/*", "/configs/1").replaceAll("*", "{none}")
  return pattern.startsWith("GET ") ? { request } : { request, json: [] }
}

/** Makes checks about a route, in its family and its section. */
export function checksAt(pattern: string) {
  const { family, section } = routePlace(pattern)
  return checksOf(family, section)
}
