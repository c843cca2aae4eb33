// Brings the Redis that all test files share: the one at REDIS_URL, else one of our own, from before the first file
// until after the last.
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
