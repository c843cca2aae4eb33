// A bare server: no process with Node in it takes less memory.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const server = createServer((_request, response) => response.end())
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`up http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on("SIGTERM", () => process.exit(0))
process.stdin.on("end", () => process.exit(0)).resume()
