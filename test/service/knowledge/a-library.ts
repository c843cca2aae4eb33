// What tests of knowledge ask and add.
import { z } from "zod"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"

const scopes = ["knowledge:read", "knowledge:write", "knowledge:delete"]

/** Sends a request of somebody who may do everything with knowledge. */
export async function ask(
  service: TestService,
  request: string,
  more: { readonly json?: unknown; readonly form?: Record<string, string>; readonly sub?: string } = {},
): Promise<Answer> {
  const { sub, ...body } = more
  return call(service, request, { token: await aToken(scopes, sub === undefined ? {} : { sub }), ...body })
}

const contentSchema = z.looseObject({ id: z.string(), name: z.string().nullable(), status: z.string() })

/** Content as tests look at it. */
export type SeenContent = z.output<typeof contentSchema>

/** Adds a text and gives what was answered. */
export async function added(service: TestService, form: Record<string, string>, sub?: string): Promise<SeenContent> {
  const answer = await ask(service, "POST /knowledge/content", { form, ...(sub === undefined ? {} : { sub }) })
  if (answer.status !== 202) throw new Error(answer.text)
  return contentSchema.parse(answer.body)
}

/** Reads one content. */
export async function contentOf(service: TestService, id: string): Promise<SeenContent> {
  return contentSchema.parse((await ask(service, `GET /knowledge/content/${id}`)).body)
}

/** The names of what a search finds, best first. */
export async function foundBy(
  service: TestService,
  json: Record<string, unknown>,
  sub?: string,
): Promise<readonly string[]> {
  const { body } = await ask(service, "POST /knowledge/search", { json, ...(sub === undefined ? {} : { sub }) })
  const page = z.object({ data: z.array(z.looseObject({ name: z.string().nullable() })) }).parse(body)
  return page.data.map(({ name }) => name ?? "")
}

/** The names in the list. */
export async function listed(service: TestService, query = "", sub?: string): Promise<readonly string[]> {
  const more = sub === undefined ? {} : { sub }
  const { body } = await ask(service, `GET /knowledge/content${query}`, more)
  return z
    .object({ data: z.array(contentSchema) })
    .parse(body)
    .data.map(({ name }) => name ?? "")
}
