// The image and its compose file, checked by their statements: nothing is copied that is not there, nothing runs as
// root.
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { run } from "../../src/setup/processes.mjs"

const root = new URL("../..", import.meta.url).pathname

type Statement = { readonly verb: string; readonly rest: string }

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8")
}

/** The statements of each stage, in order. */
function stagesOf(dockerfile: string): readonly (readonly Statement[])[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter(Boolean)
  const statements = lines.map((line) => ({ verb: line.split(" ")[0] ?? "", rest: line.slice(line.indexOf(" ") + 1) }))
  const stages: Statement[][] = []
  for (const statement of statements) {
    if (statement.verb === "FROM") stages.push([])
    stages.at(-1)?.push(statement)
  }
  return stages
}

function restOf(stage: readonly Statement[], verb: string): readonly string[] {
  return stage.filter((statement) => statement.verb === verb).map(({ rest }) => rest)
}

const [build = [], final = []] = stagesOf(textOf("Dockerfile"))
const healthCheck = parse(restOf(final, "HEALTHCHECK")[0]?.replace(/^.*?\[/, "[") ?? "") as string[]

test("the image is made in two stages, both on Node 24", () => {
  expect(stagesOf(textOf("Dockerfile"))).toHaveLength(2)
  expect(restOf(build, "FROM")).toEqual(["node:24-slim AS build"])
  expect(restOf(final, "FROM")).toEqual(["node:24-slim"])
})

test("the image's packages are those of the lock", () => {
  expect(restOf(build, "RUN")[0]).toBe("npm ci --loglevel=error")
})

test("every file that is copied from the project is there and reaches the build", () => {
  const copies = [...restOf(build, "COPY"), ...restOf(final, "COPY")].filter((rest) => !rest.startsWith("--from"))
  const sources = copies.flatMap((rest) => rest.split(" ").slice(0, -1))
  const reaching = textOf(".dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))

  expect(sources.length).toBeGreaterThan(4)
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  expect(sources.filter((source) => !reaching.includes(`!${source.replace("./", "")}`))).toEqual([])
})

test("the final stage takes the package of dist/ as it is, and an empty data folder", () => {
  expect(restOf(final, "COPY")).toEqual([
    "--from=build /build/dist ./dist",
    "--from=build --chown=node:node /build/data ./.countersign",
  ])
  expect(restOf(final, "RUN")).toEqual([])
})

test("the image runs what the build writes", () => {
  const [program, script = ""] = parse(restOf(final, "ENTRYPOINT")[0] ?? "") as string[]

  expect(program).toBe("node")
  expect(script).toBe("dist/src/cli/countersign.mjs")
  expect(textOf("src/setup/build.mjs")).toContain('commandFile = "src/cli/countersign.mjs"')
  expect(restOf(build, "RUN").at(-1)).toBe("node src/setup/build.mjs")
})

test("the image runs as an ordinary user", () => {
  const last = final.findLastIndex(({ verb }) => verb === "COPY")

  expect(final.findIndex(({ verb, rest }) => verb === "USER" && rest === "node")).toBeGreaterThan(last)
})

test.each([
  [200, 0],
  [503, 1],
])("when /healthz answers %i its health check ends with %i", async (status, code) => {
  const server = createServer((request, reply) => {
    reply.statusCode = request.url === "/healthz" ? status : 404
    reply.end()
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo

  const ended = await run([process.execPath, ...healthCheck.slice(1)], { env: { PORT: String(port) } })

  expect(healthCheck[0]).toBe("node")
  expect(ended).toEqual({ code, output: "" })
  await new Promise((closed) => server.close(closed))
})

test("when nothing listens the health check ends with 1", async () => {
  expect(await run([process.execPath, ...healthCheck.slice(1)], { env: { PORT: "1" } })).toEqual({
    code: 1,
    output: "",
  })
})

test("the compose file starts the bot after a Redis that keeps everything, on a volume of its own", () => {
  const { services, volumes } = parse(textOf("compose.yaml"))

  expect(services.bot.build).toBe(".")
  expect(services.bot.depends_on.redis.condition).toBe("service_healthy")
  expect(services.redis.healthcheck.test).toEqual(["CMD", "valkey-cli", "ping"])
  expect(services.redis.command.join(" ")).toContain("--appendonly yes --maxmemory-policy noeviction --hz 100")
  expect(services.redis.volumes).toEqual(["redis-data:/data"])
  expect(volumes).toHaveProperty("redis-data")
})

test("the compose file holds no secret: each comes from the environment, and the key must be there", () => {
  const { environment } = parse(textOf("compose.yaml")).services.bot as { environment: Record<string, string> }
  const { REDIS_URL: address, ...others } = environment

  expect(address).toBe("redis://redis:6379")
  expect(Object.entries(others).filter(([name, value]) => !value.startsWith(`\${${name}:`))).toEqual([])
  expect(others["COUNTERSIGN_KEY"]).toMatch(/:\?/)
})
