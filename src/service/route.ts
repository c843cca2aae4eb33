// A route as one value. The route table, the interface description and the app are made from it.
import type { z } from "zod"
import type { Answering, HandlerRequest, ServiceParts } from "./handler.ts"
import type { RequestBody } from "./wire/read-request.ts"
import type { ServiceReply } from "./wire/reply.ts"
import type { Checked } from "./wire/validation.ts"

/** A request with its query and body as the schemas of its route read them, and with what `before` found. */
export interface CheckedRequest<Query = unknown, Body = unknown, Found = unknown> extends HandlerRequest {
  readonly query: Query
  readonly body: Body
  readonly found: Found
}

/** A request with the query that this schema read. */
export type WithQuery<Schema extends z.ZodType, Found = unknown> = CheckedRequest<z.output<Schema>, unknown, Found>

/** A request with the body that this schema read. */
export type WithBody<Schema extends z.ZodType, Found = unknown> = CheckedRequest<unknown, z.output<Schema>, Found>

/** What a family says about a route beside pattern and scopes. Schemas of replies are named models. */
interface Told<Query, Body, Found> {
  /** The route's id in the interface description. */
  readonly id: string
  readonly summary: string
  /** True: the specification does not have this route. */
  readonly isOwn?: true
  /** True: the route shows no rows of users. So under user isolation a caller without an identity may use it. */
  readonly forAnybody?: true
  readonly query?: z.ZodType<Query>
  readonly body?: RequestBody<Body>
  /** Status of a success; default 200, or 204 if there is no reply. */
  readonly status?: 200 | 201 | 202
  /** The JSON with which the route answers. */
  readonly reply?: z.ZodType
  /** The type of text with which the route can answer instead. */
  readonly media?: "text/event-stream" | "text/html"
  /** The JSON of an answer with 202. */
  readonly accepted?: z.ZodType
  /** Statuses of refusals beside the usual ones: 401, 403; 404 of a path with ids; 400 of a form; 422. */
  readonly refusals?: readonly number[]
  /** The JSON of refusals other than 422; default `Refusal`. */
  readonly refused?: z.ZodType
  /** Called under user isolation for callers who are not admin. Returns why this owner may not go on, or null. */
  readonly guard?: (parts: ServiceParts, owner: string, ids: readonly string[]) => ServiceReply | null
  /** Called before query and body are read. Returns the refusal, or what the handler works with. */
  readonly before?: (parts: ServiceParts, request: HandlerRequest) => Checked<Found>
}

/** One route. */
export interface ServiceRoute extends Told<unknown, unknown, unknown> {
  /** "METHOD /path"; `*` is one segment. A2A routes stand under the default prefix, whatever prefix is served. */
  readonly pattern: string
  /** All scopes that a caller needs; `public`: not even a credential. */
  readonly scopes: readonly string[] | "public"
  /** Its tag in the interface description. */
  readonly tag: string
  /** Answers a request that gate and schemas accepted. If it throws, that becomes a 500 and is reported. */
  handler(parts: ServiceParts, request: CheckedRequest): Answering
}

/** Makes the routes of one tag. Each is made from its pattern, its scopes, and what else its family says about it. */
export function routesOf(tag: string, shared: Pick<ServiceRoute, "forAnybody"> = {}) {
  return <Query, Body, Found>(
    pattern: string,
    scopes: string | readonly string[],
    told: Told<Query, Body, Found> & {
      readonly handler: (
        parts: ServiceParts,
        request: CheckedRequest<NoInfer<Query>, NoInfer<Body>, NoInfer<Found>>,
      ) => Answering
    },
  ): ServiceRoute => ({
    pattern,
    scopes: scopes === "public" ? scopes : [scopes].flat(),
    tag,
    ...shared,
    ...told,
  })
}
