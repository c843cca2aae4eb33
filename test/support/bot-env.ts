// The environment of a bot that a test starts against the sandbox.
import type { SandboxTokens } from "../../src/sandbox/world.ts"

/** What `countersign run` reads: the sandbox as Slack, a platform's token, and the installation's key. */
export function botEnv(options: {
  readonly sandbox: { readonly tokens: SandboxTokens; readonly apiUrl: string }
  readonly platformToken: string
  readonly key: string
}): Readonly<Record<string, string>> {
  const { sandbox, platformToken, key } = options
  return {
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_SIGNING_SECRET: sandbox.tokens.signingSecret,
    SLACK_API_URL: sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    PLATFORM_TOKEN: platformToken,
    COUNTERSIGN_KEY: key,
    COUNTERSIGN_CONFIG: "countersign.yaml",
  }
}
