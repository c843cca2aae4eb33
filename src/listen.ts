// Listens on a port, or says in words why that is impossible, and what to do; and stops listening.
import { once } from "node:events"
import type { Server as HttpServer, IncomingMessage } from "node:http"
import type { AddressInfo, Server } from "node:net"

/** Where to listen. */
export interface ListenPlace {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The names of the settings for port and host, such as `--port` and `http.host`. */
  readonly settings: { readonly port: string; readonly host: string }
}

/** A port that we cannot have. `what` is wrong, `todo` is what to do; the message says both. No retry helps. */
export class ListenError extends Error {
  readonly code = "cannot-listen"
  readonly retryable = false
  /** True if somebody else listens on the port. */
  readonly taken: boolean
  readonly what: string
  readonly todo: string

  constructor(place: ListenPlace, cause: unknown) {
    const { why, todo } = wordsOf(place, codeOf(cause))
    const what = `cannot listen on ${urlHost(place.host)}:${place.port}: ${why}`
    super(`${what}; ${todo}`, { cause })
    this.name = "ListenError"
    this.what = what
    this.todo = todo
    this.taken = codeOf(cause) === "EADDRINUSE"
  }
}

/** Starts to listen, and returns the address. Throws `ListenError` if we cannot have the port. */
export function listenOn(server: Server, place: ListenPlace): Promise<AddressInfo> {
  const { host, port } = place
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) => reject(new ListenError(place, cause))
    server.once("error", refuse)
    server.listen({ port, host }, () => {
      server.off("error", refuse)
      const address = server.address()
      if (typeof address === "object" && address !== null) resolve(address)
      else refuse(undefined)
    })
  })
}

/** How long requests that are under way may take once we stop, in ms. */
const graceMs = 2_000

/**
 * Stops listening. Requests that are under way have two seconds; then we cut them, and whoever sends or reads too
 * slowly.
 */
export async function stopListening(server: HttpServer): Promise<void> {
  const closed = once(server, "close")
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  server.close()
  server.closeIdleConnections()
  await closed
  clearTimeout(cut)
}

/** True for a request that names several hosts: a proxy may have judged another host than we do (RFC 9112, 3.2). */
export function namesSeveralHosts({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1
}

/** A host as an address has it: IPv6 in brackets. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host
}

function wordsOf({ host, settings }: ListenPlace, code: string): { readonly why: string; readonly todo: string } {
  switch (code) {
    case "EADDRINUSE":
      return { why: "another process listens there already", todo: `end it, or set ${settings.port} to a free port` }
    case "EACCES":
      return { why: "this user may not", todo: `set ${settings.port} to a port from 1024 up` }
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return { why: `${host} is no address of this machine`, todo: `correct ${settings.host}` }
    default:
      return {
        why: `it was refused (${code})`,
        todo: `correct ${settings.host}, ${settings.port}`,
      }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no port"
}
