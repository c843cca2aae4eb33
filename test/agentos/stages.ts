// Instances and bots for the tests of one file: each instance once per version and mode, a bot and clean approvals for
// each test.
import { afterAll, afterEach, beforeAll, describe } from "vitest"
import { type Stage, startStage, type WorldOptions } from "../stories/world.ts"
import { type AgentOs, aJwt, type Mode, startAgentOs, VERSIONS } from "./agentos.ts"
import { sql } from "./drive.ts"

/** What a test of an instance gets. */
export interface Here {
  readonly version: string
  /** The running instance; its approvals are gone after each test. */
  readonly os: () => AgentOs
  /**
   * Starts a bot before the instance. Without a token it holds a JWT that has no subject, the least that works. Closed
   * after the test.
   */
  readonly aStage: (options?: WorldOptions & { readonly token?: string; readonly url?: string }) => Promise<Stage>
  /** Closed after the test. */
  readonly closing: (close: () => Promise<void>) => void
}

/** The tests of one mode, once for each version of AgentOS that the run is about. */
export function describeAgentOs(title: string, mode: Mode, tests: (here: Here) => void): void {
  describe.each(VERSIONS)(`AgentOS %s, ${title}`, (version) => {
    let os: AgentOs | undefined
    const closers: (() => Promise<void>)[] = []
    const running = () => {
      if (os === undefined) throw new Error("the instance does not run yet")
      return os
    }
    beforeAll(async () => {
      os = await startAgentOs(version, mode)
    })
    afterEach(async () => {
      for (const close of closers.splice(0).reverse()) await close()
      if ((mode.db ?? "file") === "file") sql(running(), "DELETE FROM agno_approvals")
    })
    afterAll(() => os?.close())
    tests({
      version,
      os: running,
      closing: (close) => void closers.push(close),
      aStage: async ({ token, url, ...options } = {}) => {
        const credential = token ?? (await aJwt(["approvals:read", "approvals:write"]))
        const stage = await startStage(
          { timeoutMs: 8_000, ...options },
          { url: url ?? running().url, token: credential },
        )
        closers.push(() => stage.close())
        return stage
      },
    })
  })
}
