// Says what broke a call on its way, in words that help an operator: reads codes of networks, certificates and proxies.

/** The kind of failure. It alone decides what helps. */
export type BrokenKind =
  | "no-host"
  | "refused"
  | "no-way"
  | "slow"
  | "late"
  | "unknown-ca"
  | "wrong-name"
  | "bad-certificate"
  | "plain-http"
  | "not-http"
  | "closed"
  | "proxy"
  | "unsendable"
  | "unknown"

/** What broke a call, in words that follow the name of its host. They never quote what was sent. */
export interface Broken {
  readonly kind: BrokenKind
  readonly words: string
}

/** Reads an error of Node or undici, with its causes. `scheme`: how the address begins, such as `https:`. */
export function brokenBy(error: unknown, scheme: string): Broken {
  const all = errorsIn(error)
  const code = all.map(codeOf).findLast((one) => one !== "")
  return (
    all.map((one) => readOne(one, scheme)).find((found) => found !== null) ?? {
      kind: "unknown",
      words: code === undefined ? "the call broke off" : `the call broke off (${code})`,
    }
  )
}

/** True if we sent nothing: there was no connection, or we did not trust the other side. */
export function isUnsent(kind: BrokenKind): boolean {
  return unsent.has(kind)
}

const unsent: ReadonlySet<BrokenKind> = new Set([
  "no-host",
  "refused",
  "no-way",
  "slow",
  "unknown-ca",
  "wrong-name",
  "bad-certificate",
  "plain-http",
  "proxy",
  "unsendable",
])

/** An error and its causes. If there were several attempts at one address, their errors come first: they say more. */
function errorsIn(error: unknown): readonly Error[] {
  if (!(error instanceof Error)) return []
  const parts = error instanceof AggregateError ? error.errors.flatMap(errorsIn) : []
  return [...parts, error, ...errorsIn(error.cause)]
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : ""
}

function readOne(error: Error, scheme: string): Broken | null {
  const code = codeOf(error)
  if (unknownCa.has(code)) return { kind: "unknown-ca", words: `its certificate is signed by an unknown CA (${code})` }
  if (error.name === "TimeoutError" || late.has(code)) return { kind: "late", words: "it did not answer in time" }
  if (error.name === "HTTPParserError")
    return { kind: "not-http", words: `what it answers is not HTTP${orHttps(scheme)}` }
  if (isPlain(error)) return { kind: "plain-http", words: "it speaks plain http there, not https" }
  switch (code) {
    case "ENOTFOUND":
      return { kind: "no-host", words: `there is no such host${named(error, "hostname")} (DNS)` }
    case "EAI_AGAIN":
      return { kind: "no-host", words: `DNS does not answer for its name${named(error, "hostname")}` }
    case "ECONNREFUSED":
      return { kind: "refused", words: `the connection was refused${named(error, "address", "port")}: nothing listens` }
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return connecting(error) ? { kind: "no-way", words: `there is no way to it${named(error, "address")}` } : closed
    case "ETIMEDOUT":
      return connecting(error) ? slow : closed
    case "UND_ERR_CONNECT_TIMEOUT":
      return slow
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return { kind: "wrong-name", words: `its certificate is not for this name${namesOf(error)}` }
    case "CERT_HAS_EXPIRED":
      return { kind: "bad-certificate", words: "its certificate has expired" }
    case "CERT_NOT_YET_VALID":
      return { kind: "bad-certificate", words: "its certificate is not valid yet" }
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return { ...closed, words: closed.words + orHttps(scheme) }
    default:
      return readProxy(error, code)
  }
}

const slow: Broken = { kind: "slow", words: "it did not take the connection in time" }
const closed: Broken = { kind: "closed", words: "the connection broke before the answer was whole" }

/** False if the connection was open: what we sent on it may have arrived. */
function connecting(error: Error): boolean {
  return "syscall" in error && error.syscall === "connect"
}

/** Reads undici's words for failures of a proxy, and for what undici itself does not send. */
function readProxy({ message }: Error, code: string): Broken | null {
  if (code === "UND_ERR_PRX_TLS" || code === "UND_ERR_PRX_CONN")
    return { kind: "proxy", words: "the proxy did not let the connection come about" }
  const status = /^Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(message)
  const answered = status?.[1] ?? status?.[2]
  if (answered === "407") return { kind: "proxy", words: "the proxy asks for a user and a password (407)" }
  if (answered !== undefined) return { kind: "proxy", words: `the proxy does not connect us to it (${answered})` }
  return code === "UND_ERR_INVALID_ARG" ? { kind: "unsendable", words: `it could not be sent: ${message}` } : null
}

const late = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])

const unknownCa = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_UNTRUSTED",
  "CERT_SIGNATURE_FAILURE",
])

/** True for OpenSSL's words if the answer to a handshake is no TLS. The code differs from version to version. */
function isPlain({ message }: Error): boolean {
  return /wrong version number|packet length too long|:http request/i.test(message)
}

/** A hint that the server may want TLS: then it hangs up on plain http, or answers with an alert. */
function orHttps(scheme: string): string {
  return scheme === "http:" ? "; it may want https" : ""
}

/** What Node adds to its own errors, in brackets: ` (10.0.0.1:443)`. */
function named(error: object, ...fields: readonly string[]): string {
  const values = Object.entries(error).flatMap(([key, value]) => (fields.includes(key) ? [String(value)] : []))
  return values.length === 0 ? "" : ` (${values.join(":")})`
}

/** The names in a certificate, in words. Node gives them with its refusal. */
function namesOf(error: Error): string {
  const cert: unknown = "cert" in error ? error.cert : undefined
  const names = typeof cert === "object" && cert !== null && "subjectaltname" in cert ? cert.subjectaltname : undefined
  return typeof names === "string" ? `, but for ${names.replaceAll("DNS:", "").replaceAll("IP Address:", "")}` : ""
}
