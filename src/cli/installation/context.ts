// Brings what every command needs: the checked config, the key and the log of this process.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { type Config, type ConfigNeed, type ConfigOptions, loadConfig } from "../../config.ts"
import { createLog, type Log } from "../../log.ts"
import { createSigner, type Signer } from "../../proof/signed.ts"
import type { Terminal } from "../terminal.ts"
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

/** Where a command reads its config: this process, and the file that its options name. */
export function surroundings({ configFile: file }: Pick<Terminal, "configFile">): ConfigOptions {
  return { env: process.env, readFile: (path) => readFileSync(path, "utf8"), cwd: process.cwd(), file }
}

/** Reads as much of the config as is needed. The log goes to `write`. Throws `ConfigError` or `KeyError`. */
export function readContext(terminal: Terminal, write: (line: string) => void, need: ConfigNeed = "all"): Context {
  const config = loadConfig({ ...surroundings(terminal), need })
  const random = (size: number) => randomBytes(size)
  const key = readKey(config.key, () => random(32))
  const secrets = [...config.secrets, key.toString()]
  const log = createLog({ write, clock: Date.now, secrets })
  return { config, key, log, clock: Date.now, random }
}
