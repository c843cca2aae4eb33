// Opens and closes the HTTP server.
import type { Server } from "node:http"
import { ServiceError } from "./errors.ts"

const bodyMs = 30_000
const graceMs = 2_000

/** Listens and gives back the address. Throws `ServiceError` if the port is taken or not allowed. */
export async function listen(
  server: Server,
  port: number,
  host: string,
): Promise<{ readonly url: string; readonly port: number }> {
  server.requestTimeout = bodyMs
  const listening = Promise.withResolvers<void>()
  server.once("error", listening.reject)
  server.listen(port, host, listening.resolve)
  try {
    await listening.promise
  } catch (cause) {
    throw new ServiceError("listen_failed", `listening on ${host}:${port} failed: ${String(cause)}`, { cause })
  }
  server.off("error", listening.reject)
  const address = server.address()
  if (address === null || typeof address === "string")
    throw new ServiceError("listen_failed", `listening on ${host}:${port} gave no port`)
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address
  return { url: `http://${name}:${address.port}`, port: address.port }
}

/** Stops listening, lets requests under way end for up to two seconds, then cuts what is left. */
export async function stop(server: Server): Promise<void> {
  const closed = Promise.withResolvers<void>()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  server.close(() => closed.resolve())
  server.closeIdleConnections()
  await closed.promise
  clearTimeout(cut)
}
