// The clients of the instances, each with its credential as it is now: one client for approvals and one for runs.
import { readFileSync, statSync } from "node:fs"
import { readToken, type TokenFile, type TokenRead } from "../config/parts/token-file.ts"
import type { Config } from "../config.ts"
import type { Alarm, Meter, Platform, Runs } from "../flow/ports.ts"
import type { Log } from "../log.ts"
import { createPlatformClient, type PlatformClientOptions } from "../platform/client.ts"
import { createDelegate } from "../platform/delegate.ts"
import { createRunsClient } from "../platform/runs.ts"
import { presentOf } from "../platform/transport.ts"
import type { Closer } from "../repeat.ts"
import { alarmIn } from "./modules.ts"
import type { BotOptions } from "./options.ts"

/** Opens one client for each instance, by its name. */
export function openPlatforms(
  { config, clock }: Pick<BotOptions, "config" | "clock">,
  credentials: ReadonlyMap<string, Credentials>,
  { closers, meter }: { readonly closers: Closer[]; readonly meter: Meter },
): ReadonlyMap<string, Platform> {
  const clients = config.instances.map(({ resolving, ...instance }) => {
    const token = credentials.get(instance.name)?.token
    return createPlatformClient({ ...instance, ...resolvingWith(resolving, clock), token, clock, meter })
  })
  closers.push(async () => void (await Promise.all(clients.map((client) => client.close()))))
  return new Map(clients.map((client, index) => [config.instances[index]?.name ?? "", client]))
}

/** The credentials of an instance: each as the config has it, or a function that looks it up in its file. */
export interface Credentials {
  readonly token: PlatformClientOptions["token"]
  /** Continues runs. */
  readonly resumeToken: PlatformClientOptions["token"]
}

/** Opens the credentials of each instance, by its name. None ever becomes the other one of its instance. */
export function openCredentials(
  options: Pick<BotOptions, "config" | "clock" | "log">,
): ReadonlyMap<string, Credentials> {
  return new Map(options.config.instances.map((one) => [one.name, credentialsOf(one, options)]))
}

function credentialsOf(
  instance: Pick<Config["instances"][number], "name" | "token" | "tokenFile" | "resumeToken" | "resumeTokenFile">,
  { clock, log }: Pick<BotOptions, "clock" | "log">,
): Credentials {
  const open = (token: string | undefined, file: TokenFile | undefined, other: () => string | undefined) =>
    token === undefined || file === undefined
      ? token
      : openTokenFile({ instance: instance.name, file, token, other, clock, log, alarm: alarmIn(log) })
  const resumeNow = () => presentOf(resumeToken)
  const token = open(instance.token, instance.tokenFile, resumeNow)
  const resumeToken = open(instance.resumeToken, instance.resumeTokenFile, () => presentOf(token))
  return { token, resumeToken }
}

function resolvingWith(
  resolving: Config["instances"][number]["resolving"],
  clock: () => number,
): Pick<PlatformClientOptions, "resolving"> {
  switch (resolving.kind) {
    case "same":
      return {}
    case "token":
      return { resolving }
    case "delegated":
      return { resolving: { kind: "delegated", delegate: createDelegate({ ...resolving, clock }) } }
  }
}

/** Opens a client of runs for each instance whose runs we continue, by its name. */
export function openRuns(
  { config }: Pick<BotOptions, "config">,
  credentials: ReadonlyMap<string, Credentials>,
  closers: Closer[],
): ReadonlyMap<string, Runs> {
  const resumed = config.instances.filter(({ resume }) => resume !== "off")
  const clients = resumed.map(({ resumeUrl, resumeWay, ...one }) => {
    const token = credentials.get(one.name)?.resumeToken
    return [one.name, createRunsClient({ ...one, url: resumeUrl ?? one.url, way: resumeWay, token })] as const
  })
  closers.push(async () => void (await Promise.all(clients.map(([, client]) => client.close()))))
  return new Map(clients)
}

/** Where the file is, and whom we tell if it changes. */
export interface TokenFileOptions {
  readonly instance: string
  readonly file: TokenFile
  /** What the file held when we read the config. */
  readonly token: string
  /** The other credential of the instance as it is now. */
  readonly other?: () => string | undefined
  /** Epoch ms. */
  readonly clock: () => number
  readonly log: Pick<Log, "info" | "hide">
  readonly alarm: (alarm: Alarm) => void
}

/** The shortest time between two looks at the file, in ms. */
const lookMs = 1_000

/**
 * Makes a function that gives the credential as it is now. It looks at the file at most once a second, and also notices
 * a link with a new target (Kubernetes). A file that is gone or unusable changes nothing. It raises one alarm if it is
 * still so at the next look: at the first, somebody may just be writing it.
 */
export function openTokenFile(options: TokenFileOptions): () => string {
  const { instance, file, token, clock, log, alarm } = options
  let present = token
  let stamp: string | null = null
  let doubted: string | null = null
  let lookedAt = Number.NEGATIVE_INFINITY
  const take = (read: TokenRead): void => {
    if (!read.ok) {
      const hint = "the last credential stays in use until the file holds another one"
      alarm({ code: "token-file-unusable", instance, file: file.path, why: read.why, hint })
    } else if (read.token !== present) {
      present = read.token
      log.hide(present)
      log.info("token-replaced", { instance })
    }
  }
  return () => {
    const now = clock()
    if (Math.abs(now - lookedAt) < lookMs) return present
    lookedAt = now
    const next = stampOf(file.path)
    if (next === stamp) return present
    const found = readNow(file)
    const read = found.ok && found.token !== present ? unlikeOther(found, options) : found
    if (read.ok || next === doubted) {
      stamp = next
      take(read)
    }
    doubted = next
    return present
  }
}

/** A text that changes when somebody writes or replaces a file, or the link that leads to it; empty without a file. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return "" // whatever is wrong with it, reading it says so
  }
}

/** Refuses the credential that the instance has for the other use, unless the operator takes that risk. */
function unlikeOther(read: TokenRead & { readonly ok: true }, { file, other }: TokenFileOptions): TokenRead {
  if (file.risk === "accepted" || read.token !== other?.()) return read
  const use = file.holds === "token" ? "continues runs" : "reads and resolves approvals"
  return { ok: false, why: `holds the credential that ${use}` }
}

function readNow(file: TokenFile): TokenRead {
  try {
    return readToken(readFileSync(file.path, "utf8"), file)
  } catch {
    return { ok: false, why: "cannot be read" }
  }
}
