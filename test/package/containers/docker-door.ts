// The `docker` that stands on a reader's PATH: a program that hands its words to the engine of the test, as Docker's
// own does to its daemon.
import { once } from "node:events"
import { chmodSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { Docker } from "./docker.ts"

const client = (socket: string) => `#!${process.execPath}
const { connect } = require("node:net")
const said = []
const daemon = connect(${JSON.stringify(socket)})
daemon.end(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), env: process.env }))
daemon.on("data", (part) => said.push(part)).on("end", () => {
  const { code, out, err } = JSON.parse(Buffer.concat(said))
  process.stdout.write(out)
  process.stderr.write(err)
  process.exitCode = code
})
`

/** Puts the program into a folder. Gives back how to end it. */
export async function putDocker(docker: Docker, bin: string): Promise<() => Promise<void>> {
  const socket = join(bin, "docker.sock")
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => undefined)
    void text(client).then(async (given) => client.end(JSON.stringify(await docker.run(JSON.parse(given)))))
  })
  server.listen(socket)
  await once(server, "listening")
  writeFileSync(join(bin, "docker"), client(socket))
  chmodSync(join(bin, "docker"), 0o755)
  return async () => {
    const closed = once(server, "close")
    server.close()
    await closed
  }
}
