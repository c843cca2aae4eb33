// countersign sandbox: a Slack workspace on this machine, for whoever tries a bot of their own without an account.
import { randomBytes } from "node:crypto"
import { sandboxCast } from "../sandbox/workspace/seed.ts"
import { startSandbox } from "../sandbox.ts"
import { pageLoader } from "../setup/page.mjs"
import { stopped } from "./run.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Runs the workspace until SIGINT or SIGTERM; it keeps nothing. Stdout gets the variables of a bot there, one a line,
 * and stderr who is in it and where its page is. Throws `ListenError`. `port`: 0 for any free one.
 */
export async function sandbox(terminal: Terminal, { port }: { readonly port: number }): Promise<void> {
  const told = stopped()
  const workspace = await startSandbox({
    port,
    clock: Date.now,
    random: () => randomBytes(16).toString("hex"),
    delivery: { mode: "socket" },
    loadPage: pageLoader(),
  })
  const { tokens, apiUrl, pageUrl } = workspace
  terminal.out(`SLACK_BOT_TOKEN=${tokens.bot}`)
  terminal.out(`SLACK_APP_TOKEN=${tokens.app}`)
  terminal.out(`SLACK_API_URL=${apiUrl}`)
  terminal.out("SLACK_SANDBOX=true")
  terminal.err(
    `routes: [${sandboxCast.approvals}] is #approvals; approvers: [${sandboxCast.approvers}] are Alice and Bob`,
  )
  terminal.err(`requesters: rita@sandbox.example; the workspace: ${pageUrl}`)
  await told
  await workspace.close()
}
