// A route as one value: the route table, the interface description and the app follow from it.
import type { z } from "zod"
import type { Answering, HandlerRequest, ServiceParts } from "./handler.ts"
import type { RequestBody } from "./wire/read-request.ts"
import type { ServiceReply } from "./wire/reply.ts"
import type { Checked } from "./wire/validation.ts"

/** A request with its query and its body as the schemas of its route read them, and with what `before` found. */
export interface CheckedRequest<Query = unknown, Body = unknown, Found = unknown> extends HandlerRequest {
  readonly query: Query
  readonly body: Body
  readonly found: Found
}

/** A request whose query was read by this schema. */
export type WithQuery<Schema extends z.ZodType, Found = unknown> = CheckedRequest<z.output<Schema>, unknown, Found>

/** A request whose body was read by this schema. */
export type WithBody<Schema extends z.ZodType, Found = unknown> = CheckedRequest<unknown, z.output<Schema>, Found>

/** What a family says about a route beside its pattern and its scopes. Schemas of replies are named models. */
interface Told<Query, Body, Found> {
  /** Its id in the interface description. */
  readonly id: string
  readonly summary: string
  /** True: the specification does not have it. */
  readonly isOwn?: true
  /** True: under user isolation a caller without an identity may ask it, since it shows no rows of users. */
  readonly forAnybody?: true
  readonly query?: z.ZodType<Query>
  readonly body?: RequestBody<Body>
  /** Status of its success; default 200, and 204 where there is no reply. */
  readonly status?: 200 | 201 | 202
  /** What it answers with, as JSON. */
  readonly reply?: z.ZodType
  /** What else it can answer with, as text. */
  readonly media?: "text/event-stream" | "text/html"
  /** What it answers with 202. */
  readonly accepted?: z.ZodType
  /** Statuses of refusals beside those of its kind: 401, 403; 404 of a path with ids; 400 of a form; 422. */
  readonly refusals?: readonly number[]
  /** What refusals but 422 answer with; default `Refusal`. */
  readonly refused?: z.ZodType
  /** Asked under user isolation of callers who are not admin: why this owner may not go on, or null. */
  readonly guard?: (parts: ServiceParts, owner: string, ids: readonly string[]) => ServiceReply | null
  /** Comes before query and body are read: the refusal, or what the handler works with. */
  readonly before?: (parts: ServiceParts, request: HandlerRequest) => Checked<Found>
}

/** One route. */
export interface ServiceRoute extends Told<unknown, unknown, unknown> {
  /** "METHOD /path"; `*` is one segment. Those of A2A stand under the default prefix, whatever prefix is served. */
  readonly pattern: string
  /** What a caller needs, all of it; `public`: not even a credential. */
  readonly scopes: readonly string[] | "public"
  /** Its tag in the interface description. */
  readonly tag: string
  /** Answers a request that was let through and read. If it throws, that becomes a 500 and is reported. */
  handler(parts: ServiceParts, request: CheckedRequest): Answering
}

/** Makes the routes of one tag, each from its pattern, its scope or scopes, and what is told of it. */
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
