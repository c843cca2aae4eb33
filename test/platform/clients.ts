// A client beside a server that answers as a test says, and the error of a call that fails.
import { expect, onTestFinished } from "vitest"
import { createPlatformClient, type PlatformClient } from "../../src/platform/client.ts"
import { PlatformError } from "../../src/platform/errors.ts"
import { type Recorded, recorded, type Seen, startServer, type TestServer } from "./replay.ts"

export const TOKEN = "agno_pat_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

/** Closed after each test. */
export async function clientOf(
  answer: (seen: Seen) => Recorded,
): Promise<{ client: PlatformClient; server: TestServer }> {
  const server = await startServer(answer)
  const client = createPlatformClient({ name: "main", url: `${server.url}/os`, token: TOKEN })
  onTestFinished(server.close)
  onTestFinished(client.close)
  return { client, server }
}

export async function failure(call: Promise<unknown>): Promise<PlatformError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PlatformError)
  return error as PlatformError
}

/** The id in a recorded record. */
export const idIn = (name: string) => (JSON.parse(recorded(name).body) as { id: string }).id
