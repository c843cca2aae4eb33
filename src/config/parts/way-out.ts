// Finds how connections leave this machine: by which proxy of the environment, and with which CA beside the usual ones.
import { X509Certificate } from "node:crypto"
import { resolve } from "node:path"
import { type Environment, variable, variableProblem } from "../reading/environment.ts"
import type { ConfigProblem } from "../reading/problems.ts"
import type { Remark } from "./credential.ts"
import type { Files } from "./token-file.ts"

/** How connections to one address leave this machine. */
export interface WayOutConfig {
  /** The proxy, with user and password if it has them. Null for this machine itself, and if no variable names one. */
  readonly proxy: {
    readonly url: string
    /** The hosts of NO_PROXY. */
    readonly except: string
    /** The variable that names the proxy. */
    readonly variable: ProxyVariable
  } | null
  /** What `ca_file` holds. */
  readonly ca: string | null
}

type ProxyVariable = "HTTPS_PROXY" | "HTTP_PROXY"

/** The way to an address. We never use a proxy to reach this machine itself. */
export function wayOutTo(
  address: string,
  { caFile, env, files }: { readonly caFile: string | undefined; readonly env: Environment; readonly files: Files },
): WayOutConfig {
  const name = variableFor(address)
  const url = name === null ? null : proxyIn(env, name)
  return {
    proxy:
      name === null || url === null ? null : { url: url.href, except: either(env, "NO_PROXY") ?? "", variable: name },
    ca: caIn(caFile, files),
  }
}

/** What a file of CAs holds; null if no file is named. */
export function caIn(caFile: string | undefined, files: Files): string | null {
  return caFile === undefined ? null : files.readFile(resolve(files.cwd, caFile))
}

/** The password of a proxy, in every form that it may appear in. */
export function proxySecrets({ proxy }: WayOutConfig): readonly string[] {
  const { username, password } = new URL(proxy?.url ?? "http://none")
  if (password === "") return []
  const [user, plain] = [decodeURIComponent(username), decodeURIComponent(password)]
  return [password, plain, Buffer.from(`${user}:${plain}`).toString("base64")]
}

/** True for an address of this same machine: `localhost`, `*.localhost`, `127.…` and `[::1]`. */
export function isLoopback(url: URL): boolean {
  const host = url.hostname
  return host === "localhost" || host.endsWith(".localhost") || /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]"
}

/** Which variable counts for an address; null for this machine itself. */
function variableFor(address: string): ProxyVariable | null {
  const url = new URL(address)
  if (isLoopback(url)) return null
  return url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY"
}

/** Reads a variable as curl and others do: small letters win, and an address without a scheme means http. */
function proxyIn(env: Environment, name: string): URL | null {
  const text = either(env, name)
  if (text === undefined) return null
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  return url !== null && /^https?:$/.test(url.protocol) && isDecodable(url.username + url.password) ? url : null
}

/** False if the escapes of a text mean no text. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).isWellFormed()
  } catch {
    return false
  }
}

function either(env: Environment, name: string): string | undefined {
  return variable(env, name.toLowerCase()) ?? variable(env, name)
}

/** Checks the proxies for these addresses: with a wrong proxy, no call would ever get an answer. */
export function checkProxies(addresses: readonly string[], env: Environment): readonly ConfigProblem[] {
  const names = new Set(addresses.flatMap((address) => variableFor(address) ?? []))
  return [...names]
    .filter((name) => either(env, name) !== undefined && proxyIn(env, name) === null)
    .map((name) => variableProblem(name, "must be the http or https address of a proxy"))
}

/** Checks that a file holds a CA: else only the first call would find out. */
export function checkCaFile(file: string | undefined, files: Files, report: (what: string) => ConfigProblem) {
  const why = file === undefined ? null : faultOf(resolve(files.cwd, file), files.readFile)
  return why === null ? [] : [report(`names a file ${why}`)]
}

/** Warns if Node cannot use NODE_EXTRA_CA_CERTS: Node itself only says so on the error stream, and goes on. */
export function warningsOnCas(env: Environment, { readFile }: Files): readonly Remark[] {
  const file = variable(env, "NODE_EXTRA_CA_CERTS")
  const fault = file === undefined ? null : faultOf(file, readFile)
  if (fault === null) return []
  const what = `NODE_EXTRA_CA_CERTS names a file ${fault}`
  const why = "its certificates do not count, so Countersign reaches nothing that they signed"
  const todo = "name a file that holds certificates in PEM, and that Countersign's user may read"
  return [{ what, why, todo }]
}

/** What is wrong with a file of certificates; null if nothing is. */
function faultOf(path: string, readFile: (path: string) => string): string | null {
  let text: string
  try {
    text = readFile(path)
  } catch {
    return "that cannot be read"
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) return "that holds no certificate in PEM"
  return found.every(isCertificate) ? null : "that holds a broken certificate"
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
