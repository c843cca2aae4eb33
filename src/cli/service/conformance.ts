// countersign service conformance: tests any platform against the specification, and says how it deviates.
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { wayOutTo } from "../../config/parts/way-out.ts"
import { flawOfCredential } from "../../domain/text/sendable.ts"
import { bounded } from "../../outgoing/bounded.ts"
import { brokenBy } from "../../outgoing/broken.ts"
import { openDispatcher, type WayOut } from "../../outgoing/dispatcher.ts"
import { type CheckFamily, families, type Send } from "../../service/conformance/check.ts"
import { type Conformance, testConformance, whyNotTestable } from "../../service/conformance/conformance.ts"
import { stopped } from "../run.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { counts, reportLines } from "./conformance-words.ts"

/** The options, as commander gives them. */
export interface ConformanceFlags {
  readonly tokenFile?: string
  /** Names of families, separated by commas or given one by one. */
  readonly only: readonly string[]
  readonly write: boolean
  readonly agent?: string
  readonly message: string
  readonly json: boolean
}

/** The variable that holds the credential, as for the bot. */
const tokenVariable = "PLATFORM_TOKEN"
/** How long one request may take, in ms. One may start a run in which the agent thinks. */
const timeoutMs = 60_000

/** The exit code if we could not test the platform, or not to the end. */
const untestable = 2

/** Prints how a platform keeps to the specification. Exit code 0: nothing deviates; 1: it deviates; 2: not tested. */
export async function conformance(terminal: Terminal, address: string, flags: ConformanceFlags): Promise<void> {
  try {
    process.exitCode = await testPlatform(terminal, address, flags)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    terminal.err(`countersign: ${error.message}`)
    process.exitCode = untestable
  }
}

async function testPlatform(terminal: Terminal, address: string, flags: ConformanceFlags): Promise<number> {
  const url = urlOf(address)
  const only = onlyOf(flags.only)
  const token = tokenOf(flags.tokenFile)
  if (flags.agent !== undefined && !flags.write)
    throw new CommandError("--agent starts a run, which needs --write beside it")
  const files = { readFile: (path: string) => readFileSync(path, "utf8"), cwd: process.cwd() }
  const client = openClient(url, { way: wayOutTo(url.href, { caFile: undefined, env: process.env, files }), timeoutMs })
  try {
    await refuseUntestable(url, client.send, token)
    const found = await testConformance({
      send: client.send,
      token,
      only,
      write: flags.write,
      agent: flags.agent === undefined ? null : { id: flags.agent, message: flags.message },
      tag: randomBytes(6).toString("hex"),
      signal: stopSignal(terminal),
      onProgress: flags.json ? () => {} : progressOn(terminal),
    })
    return print(terminal, found, { url: url.href, ...flags })
  } finally {
    await client.close()
  }
}

function print(
  terminal: Terminal,
  found: Conformance,
  subject: { url: string; write: boolean; json: boolean },
): number {
  const { passed, deviating, untested } = counts(found.results)
  const isClean = deviating === 0 && found.leftovers.length === 0
  const document = { url: subject.url, conforms: isClean && !found.interrupted, passed, deviating, untested, ...found }
  if (subject.json) terminal.out(JSON.stringify(document, null, 2))
  else for (const line of reportLines(found, subject)) terminal.out(line)
  if (found.interrupted) return untestable
  return isClean ? 0 : 1
}

async function refuseUntestable(url: URL, send: Send, token: string): Promise<void> {
  const why = await whyNotTestable(send, token).catch((error: unknown) => {
    if (error instanceof CommandError) throw new CommandError(`${url.href}: ${error.message}`, { cause: error })
    throw error
  })
  if (why !== null) throw new CommandError(`${url.href} ${why}`)
}

/** Fires at SIGINT and SIGTERM. Then the process removes what the checks made, and ends. */
function stopSignal(terminal: Terminal): AbortSignal {
  const stopping = new AbortController()
  void stopped().then((signal) => {
    terminal.err(`${signal}: stopping, and taking away what was made`)
    stopping.abort()
  })
  return stopping.signal
}

function progressOn(terminal: Terminal): (family: CheckFamily) => void {
  let last = ""
  return (family) => {
    if (family !== last) terminal.err(`asking about ${family} …`)
    last = family
  }
}

function urlOf(address: string): URL {
  const url = URL.parse(address)
  const isFit = url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === ""
  if (!isFit) throw new CommandError(`${address} is no address of a platform, such as https://agents.example.com`)
  if (url.username !== "" || url.password !== "")
    throw new CommandError("the address holds a user or a password; a credential goes into PLATFORM_TOKEN")
  return url
}

function onlyOf(given: readonly string[]): readonly CheckFamily[] | null {
  const names = given.flatMap((one) => one.split(",")).map((one) => one.trim())
  const found = families.filter((family) => names.includes(family))
  const strange = names.find((name) => !found.some((family) => family === name))
  if (strange !== undefined) throw new CommandError(`--only ${strange}: there are ${families.join(", ")}`)
  return names.length === 0 ? null : found
}

/** The credential from the file, else from the variable. Never from the command line, where others can see it. */
function tokenOf(file: string | undefined): string {
  const place = file ?? tokenVariable
  const token = (file === undefined ? (process.env[tokenVariable] ?? "") : textIn(file)).trim()
  if (token === "" && file === undefined)
    throw new CommandError(`name a credential: set ${tokenVariable}, or give --token-file`)
  const flaw = token === "" ? "holds no credential" : flawOfCredential(token)
  if (flaw !== null) throw new CommandError(`${place} ${flaw}`)
  return token
}

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    throw new CommandError(`--token-file ${file}: it cannot be read`, { cause })
  }
}

/** How long an answer may be, in bytes. */
const maxBytes = 8 * 1024 * 1024

/** Opens a connection to a platform; `close` ends it. */
export function openClient(url: URL, { way, timeoutMs }: { readonly way: WayOut; readonly timeoutMs: number }) {
  const dispatcher = openDispatcher({ way, connectMs: timeoutMs })
  const prefix = url.pathname.replace(/\/$/, "")
  const send: Send = async ({ method, path, headers, body }) => {
    try {
      return await bounded({ ms: timeoutMs }, async (signal) => {
        const answer = await dispatcher.request({
          origin: url.origin,
          path: prefix + path,
          method,
          headers,
          body,
          // After some 500s, AgentOS closes the connection without notice (`docs/platform-facts.md`, trap 44).
          reset: true,
          signal,
        })
        return {
          status: answer.statusCode,
          headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
          text: await bodyText(answer.body),
        }
      })
    } catch (error) {
      if (error instanceof CommandError) throw error
      const { words, kind } = brokenBy(error, url.protocol)
      throw new CommandError(kind === "late" ? `no answer within ${timeoutMs / 1_000} s` : words, { cause: error })
    }
  }
  return { send, close: () => dispatcher.destroy() }
}

async function bodyText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) throw new CommandError(`an answer of more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
