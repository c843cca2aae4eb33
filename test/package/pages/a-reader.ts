// A reader as the pages take one for granted: with a clone, a Slack workspace (the sandbox), a platform (the embedded
// service), and terminals.
import { delimiter } from "node:path"
import { onTestFinished } from "vitest"
import { sandboxCast } from "../../stories/world.ts"
import { freePort } from "../../support/free-port.ts"
import { terminalEnv } from "../../support/terminal.ts"
import { type Outside, startOutside } from "../containers/outside.ts"
import { type Clone, makeClone } from "./clone.ts"
import { openTerminal, type Terminal } from "./reader.ts"
import type { Replaced } from "./walk.ts"

/** The reader. */
export interface Reader {
  readonly here: Outside
  readonly clone: Clone
  /** What reaches the sandbox in place of Slack, and a port that is free. A terminal of the reader has it already. */
  readonly env: Readonly<Record<string, string>>
  /** `programs` is a folder that comes before the machine's own. */
  readonly openTerminal: (more?: Readonly<Record<string, string>>, programs?: string) => Terminal
  /** What the reader's own workspace has for the examples of the pages. */
  readonly own: Replaced
}

/** Makes a reader, who goes with the test. */
export async function aReader(): Promise<Reader> {
  const here = await startOutside()
  onTestFinished(() => here.close())
  const clone = makeClone()
  onTestFinished(() => clone.remove())
  const port = String(await freePort())
  const env = { SLACK_API_URL: here.sandbox.apiUrl, SLACK_SANDBOX: "true", PORT: port }
  const { REDIS_URL: _none, ...machine } = terminalEnv
  const pathWith = (programs?: string) => [clone.bin, programs, terminalEnv["PATH"]].filter(Boolean).join(delimiter)
  return {
    here,
    clone,
    env,
    openTerminal: (more = {}, programs) =>
      openTerminal(clone.folder, { ...machine, PATH: pathWith(programs), ...env, ...more }),
    own: [
      ["C0123456789", sandboxCast.approvals],
      ["C0PAYMENTS0", sandboxCast.payments],
      ["S0123456789", sandboxCast.approvers],
      ["S0FINANCE00", sandboxCast.approvers],
      ["alice@example.com", "alice@sandbox.example"],
      ["xoxb-…", here.sandbox.tokens.bot],
      ["xapp-…", here.sandbox.tokens.app],
    ],
  }
}
