// Loads a configuration from texts instead of files.
import { type Config, ConfigError, type ConfigNeed, loadConfig } from "../../src/config.ts"

/** An environment that alone makes a working bot in Socket Mode. */
export const SOCKET_ENV = {
  SLACK_BOT_TOKEN: "xoxb-bot",
  SLACK_APP_TOKEN: "xapp-app",
  PLATFORM_URL: "https://agents.example.com/",
  PLATFORM_TOKEN: "platform-token",
  APPROVALS_CHANNEL: "C0APPROVALS",
  APPROVERS: "U0ANN",
} as const

/** The secrets only, for a file that says the rest. */
export const FILE_ENV = { SLACK_BOT_TOKEN: "xoxb-bot", SLACK_APP_TOKEN: "xapp-app" } as const

/** What there is to read; the working directory is /srv/bot. */
export interface Sources {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The text of ./countersign.yaml. */
  readonly yaml?: string
  /** What `--config` names. */
  readonly file?: string
  /** Other files by absolute path. */
  readonly files?: Readonly<Record<string, string>>
  /** Which part of the config is needed; all of it if left out. */
  readonly need?: ConfigNeed
}

export function load({ env = {}, yaml, file, files = {}, need = "all" }: Sources): Config {
  const all: Readonly<Record<string, string | undefined>> = { "/srv/bot/countersign.yaml": yaml, ...files }
  const readFile = (path: string): string => {
    const text = all[path]
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" })
    return text
  }
  return loadConfig({ env, cwd: "/srv/bot", readFile, file, need })
}

/** The error of a wrong configuration. */
export function refusal(sources: Sources): ConfigError {
  try {
    load(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error("the configuration was taken")
}
