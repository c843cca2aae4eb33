// How the instances of these tests start: a port that somebody else took meanwhile is another try, and nobody else is
// taken for the instance.
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { freePort } from "../support/free-port.ts"
import { startAgentOs, VERSIONS } from "./agentos.ts"

test("an instance whose port somebody else answers on starts on another one", async () => {
  const other = createServer((_, response) => response.end('{"name":"Countersign Sample"}')).listen(0, "127.0.0.1")
  await once(other, "listening")
  onTestFinished(() => void other.close())
  const taken = (other.address() as AddressInfo).port
  const ports = [taken]

  const os = await startAgentOs(VERSIONS[0] ?? "", {}, async () => ports.shift() ?? freePort())
  onTestFinished(() => os.close())

  expect(os.url).not.toContain(String(taken))
  expect((await fetch(`${os.url}/health`)).status).toBe(200)
})
