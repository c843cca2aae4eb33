// What every command works with: the checked config, the key and the log, taken from this process.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { type Config, loadConfig } from "../../config.ts"
import { createLog, type Log } from "../../log.ts"
import { createSigner, type Signer } from "../../proof/signed.ts"
import { readKey } from "./key.ts"
import { openSigningKey } from "./signing-key.ts"

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

/** Reads the config from the environment and the working directory. Throws `ConfigError` or `KeyError`. */
export function readContext(write: (line: string) => void): Context {
  const config = loadConfig({ env: process.env, readFile: (path) => readFileSync(path, "utf8"), cwd: process.cwd() })
  const random = (size: number) => randomBytes(size)
  const key = readKey(config.key, () => random(32))
  const secrets = [...config.secrets, key.toString()]
  const log = createLog({ write, clock: Date.now, secrets })
  return { config, key, log, clock: Date.now, random }
}
