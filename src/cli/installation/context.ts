// What every command works with: the checked config, the key and the log, taken from this process.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { type Config, type ConfigNeed, type ConfigOptions, loadConfig } from "../../config.ts"
import { createLog, type Log } from "../../log.ts"
import { createSigner, type Signer } from "../../proof/signed.ts"
import { openSigningKey, readKey } from "./key.ts"

/** What a command has at hand. */
export interface Context {
  readonly config: Config
  readonly key: Buffer
  readonly log: Log
  readonly clock: () => number
  readonly random: (size: number) => Buffer
}

/** The signer of this process' installation. Throws `KeyError` or `ProofError`. */
export async function openSigner({ config, key }: Pick<Context, "config" | "key">): Promise<Signer> {
  return createSigner(await openSigningKey(config, key))
}

/** What this process reads its config from. */
export function surroundings(): ConfigOptions {
  return { env: process.env, readFile: (path) => readFileSync(path, "utf8"), cwd: process.cwd() }
}

/**
 * Reads the config from the environment and the working directory, as far as it is needed. Throws `ConfigError` or
 * `KeyError`.
 */
export function readContext(write: (line: string) => void, need: ConfigNeed = "all"): Context {
  const config = loadConfig({ ...surroundings(), need })
  const random = (size: number) => randomBytes(size)
  const key = readKey(config.key, () => random(32))
  const secrets = [...config.secrets, key.toString()]
  const log = createLog({ write, clock: Date.now, secrets })
  return { config, key, log, clock: Date.now, random }
}
