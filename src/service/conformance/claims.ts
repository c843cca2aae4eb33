// Makes claims and checks, so that each of them says only what is special about it.
import { a2aRoutes, type RouteTable, specifiedRoutes } from "../gate/route-table.ts"
import { type CheckFamily, families, type PlatformCheck } from "./check.ts"
import { errorBody, validationBody } from "./shapes.ts"

/** The fields that most checks need. */
type Wish = Omit<PlatformCheck, "family" | "section" | "isOpen" | "status" | "says"> & {
  readonly says: string
  readonly status?: number | readonly number[]
  /** Default: the section given to `checksOf`. */
  readonly section?: string
}

/** The path whose POST makes rows, and the field of their id. */
interface Makes {
  readonly at: string
  readonly id: string
}

/**
 * Makes checks of one family. `fixed`: the specification fixes the shape; `open`: it leaves the shape open. If a
 * platform makes a row that it should have refused, the row is removed.
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
    /** An error whose `detail` is one text. */
    refused: (status: number, wish: Wish) =>
      make({ section: "7", shape: errorBody, ...strayOf(wish), ...wish, status }, true),
  }
}

/** Every route of the specification, its A2A routes with their default prefix. */
export const allRoutes: RouteTable = { ...specifiedRoutes, ...a2aRoutes() }

/** The family by a path's first segment, if the two names differ. */
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

/** A request to a route. It names something that does not exist, and no route accepts its body. */
export function routeRequest(pattern: string): Pick<PlatformCheck, "request" | "json"> {
  // A version is a number, so `{none}` cannot be one.
  const request = pattern.replace("/configs/*", "/configs/1").replaceAll("*", "{none}")
  return pattern.startsWith("GET ") ? { request } : { request, json: [] }
}

/** Makes checks about a route, in the route's family and section. */
export function checksAt(pattern: string) {
  const { family, section } = routePlace(pattern)
  return checksOf(family, section)
}
