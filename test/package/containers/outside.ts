// What stands around containers in a test: Slack's stand-in on their loopback, a platform at a name of its own, an
// engine and its `docker`, and a folder with the project as a clone has it.
import { randomBytes } from "node:crypto"
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Sandbox, startSandbox } from "../../../src/sandbox.ts"
import { type RunningService, startService } from "../../../src/service.ts"
import { agents, secret } from "../../service/a-service.ts"
import { createDocker, type Docker } from "./docker.ts"
import { createEngine, type Engine } from "./engine.ts"
import { offerPort, publishPort } from "./relays.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The world outside the containers. */
export interface Outside {
  readonly sandbox: Sandbox
  readonly service: RunningService
  readonly engine: Engine
  readonly docker: Docker
  /** A folder with what an image is built from, and compose.yaml. */
  readonly folder: string
  /** The platform, as containers on a network of this name reach it. */
  readonly platformFor: (network: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** The name that our pages give to the platform. */
export const platformName = "agents.example.com"

/** Starts all of it. Whoever starts it closes it. */
export async function startOutside(): Promise<Outside> {
  const home = mkdtempSync(join(tmpdir(), "countersign-outside-"))
  const folder = join(home, "clone")
  mkdirSync(folder)
  for (const file of ["Dockerfile", "compose.yaml"]) copyFileSync(join(root, file), join(folder, file))
  symlinkSync(join(root, "dist"), join(folder, "dist"))
  const sandbox = await startSandbox({
    clock: Date.now,
    random: () => randomBytes(16).toString("hex"),
    delivery: { mode: "socket" },
  })
  const service = await startService({
    database: ":memory:",
    script: agents,
    authorization: true,
    verificationKeys: [secret],
    algorithm: "HS256",
    clock: Date.now,
    random: randomBytes,
  })
  const slack = await offerPort(home, Number(new URL(sandbox.url).port))
  const engine = createEngine({ folder: join(home, "engine"), relays: [slack], machineNames: [platformName] })
  const docker = createDocker(engine)
  const port = Number(new URL(service.url).port)
  const doors = new Map<string, ReturnType<typeof publishPort>>()
  return {
    sandbox,
    service,
    engine,
    docker,
    folder,
    platformFor: async (name) => {
      const { machine } = await engine.network(name)
      const door = doors.get(name) ?? publishPort({ host: machine, port }, { host: "127.0.0.1", port })
      doors.set(name, door)
      await door
      return `http://${platformName}:${port}`
    },
    close: async () => {
      await docker.close()
      for (const door of doors.values()) await (await door).close()
      await engine.close()
      await slack.close()
      await Promise.all([sandbox.close(), service.close()])
    },
  }
}
