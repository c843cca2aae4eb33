// Starts the Redis that all test files share, before the first of them, and stops it after the last: REDIS_URL, else
// one of our own.
import type { TestProject } from "vitest/node"
import { startOwnRedis } from "./redis.ts"

/** Called by vitest once per run. Gives back what vitest calls at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["REDIS_URL"]
  if (given !== undefined && given !== "") {
    project.provide("redisUrl", given)
    return async () => undefined
  }
  const server = await startOwnRedis()
  project.provide("redisUrl", server.url)
  return server.stop
}
