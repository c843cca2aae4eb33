// The config for commands that look at its rules: as the bot reads it, or offline, where no secret is at hand.

import { VARIABLES } from "../../config/reading/environment.ts"
import { type Config, type Environment, loadConfig } from "../../config.ts"

/** What a bot needs and rules do not depend on. */
const standIns = [
  "COUNTERSIGN_KEY",
  "PLATFORM_TOKEN",
  "PLATFORM_URL",
  "REDIS_URL",
  "SLACK_APP_TOKEN",
  "SLACK_BOT_TOKEN",
  "SLACK_SIGNING_SECRET",
]

/** Where the config is read from. */
export interface PolicyConfigOptions {
  readonly env: Environment
  readonly readFile: (path: string) => string
  readonly cwd: string
  /** True: what is not set of addresses and secrets is made up, so that a CI needs none. */
  readonly offline: boolean
}

/** Reads the config. Throws `ConfigError`. */
export function readPolicyConfig({ offline, env, ...from }: PolicyConfigOptions): Config {
  return loadConfig({ ...from, env: offline ? withStandIns(env) : env })
}

/** A name that we do not know can only be one that the file refers to. */
function withStandIns(env: Environment): Environment {
  return new Proxy(env, {
    get: (_target, name) => {
      if (typeof name !== "string") return undefined
      // A proxy's variable counts in small letters too.
      const known = VARIABLES[name.toUpperCase()]
      if (env[name] || (known !== undefined && !standIns.includes(name))) return env[name]
      return known?.replace("…", "stand-in") ?? "stand-in"
    },
  })
}
