// Makes schedules in tests, in the name of ann.
import { z } from "zod"
import { type Answer, aToken, call, type TestService } from "../a-service.ts"

const scopes = ["schedules:read", "schedules:write", "schedules:delete", "agents:run", "teams:run", "workflows:run"]

/** Sends a request as ann, who may schedule and run everything. */
export async function asScheduler(service: TestService, request: string, json?: unknown): Promise<Answer> {
  const token = await aToken(scopes, { sub: "ann" })
  return call(service, request, { token, ...(json === undefined ? {} : { json }) })
}

/** Makes a schedule and gives its id. */
export async function scheduled(service: TestService, json: unknown): Promise<string> {
  const answer = await asScheduler(service, "POST /schedules", json)
  if (answer.status !== 201) throw new Error(answer.text)
  return z.object({ id: z.string() }).parse(answer.body).id
}
