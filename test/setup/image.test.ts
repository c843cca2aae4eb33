// The image and its compose file, checked by their statements: nothing is copied that is not there, nothing runs as
// root.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { knownVariables } from "../../src/config/reading/environment.ts"
import { loadConfig } from "../../src/config.ts"
import { run } from "../../src/setup/processes.mjs"
import { interpolated, readCompose } from "../support/compose.ts"
import { imageOf, restOf, stagesOf } from "../support/dockerfile.ts"
import { onLoopback } from "../support/on-loopback.ts"
import { aFolder, opened } from "../support/opened.ts"

const root = new URL("../..", import.meta.url).pathname

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8")
}

const [build = [], final = []] = stagesOf(textOf("Dockerfile"))
const { healthCheck } = imageOf(textOf("Dockerfile"))

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
  const { port } = await opened(onLoopback(server))

  const ended = await run([process.execPath, ...healthCheck.slice(1)], { env: { PORT: String(port) } })

  expect(healthCheck[0]).toBe("node")
  expect(ended).toEqual({ code, output: "" })
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

/** A folder with our compose file and a `.env` of these lines. */
function composeBeside(lines: readonly string[]): string {
  const folder = aFolder("compose")
  copyFileSync(join(root, "compose.yaml"), join(folder, "compose.yaml"))
  writeFileSync(join(folder, ".env"), `${lines.join("\n")}\n`)
  return folder
}

const needed = ["COUNTERSIGN_KEY=k", "SLACK_BOT_TOKEN=xoxb-1"]

test("every variable that the bot reads, and each that a config may name, reaches the container from .env", () => {
  const named = [...textOf("countersign.example.yaml").matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name = ""]) => name)
  const names = [
    ...new Set([...Object.keys(knownVariables), ...named.filter((name) => name !== "NAME"), "RESUME_TOKEN"]),
  ]
  const wanted = Object.fromEntries(names.map((name, at) => [name, name === "PORT" ? "3100" : `value ${at}`]))

  const { services } = readCompose(
    composeBeside(Object.entries(wanted).map(([name, value]) => `${name}="${value}"`)),
    {},
  )

  expect(names.length).toBeGreaterThan(20)
  expect(services["bot"]?.environment).toEqual(wanted)
  expect(services["bot"]?.ports).toEqual(["127.0.0.1:3100:3100"])
})

test("without REDIS_URL and PORT the bot works on the compose file's own Redis, and is published at 3000", () => {
  const { services } = readCompose(composeBeside(needed), {})

  expect(services["bot"]?.environment).toMatchObject({ REDIS_URL: "redis://redis:6379" })
  expect(services["bot"]?.ports).toEqual(["127.0.0.1:3000:3000"])
})

test.each(["COUNTERSIGN_KEY", "SLACK_BOT_TOKEN"])("the compose file is refused without %s", (name) => {
  const folder = composeBeside(needed.filter((line) => !line.startsWith(name)))

  expect(() => readCompose(folder, {})).toThrow(`required variable ${name} is missing a value`)
  expect(readCompose(folder, { [name]: "of the shell" }).services["bot"]?.environment[name]).toBe("of the shell")
})

test("the .env of the quickstart for operators, whose key is copied as it stands, makes no bot", () => {
  const page = textOf("docs/quickstart-operators.md")
  const [, lines = ""] = /^```\n(COMPOSE_PROFILES=[^`]*)```/m.exec(page) ?? []
  const [, rules = ""] = /```yaml\n([^`]*http:\/\/gate:7780[^`]*)```/.exec(page) ?? []
  const saved = lines.replaceAll("xoxb-…", "xoxb-1").replaceAll("xapp-…", "xapp-1").trim().split("\n")
  const { services } = readCompose(composeBeside(saved), {})
  const env = services["bot"]?.environment ?? {}
  const loadWith = (key: string) => () =>
    loadConfig({
      env: { ...env, COUNTERSIGN_KEY: key },
      readFile: (path) => (path.endsWith("yaml") ? rules : `in ${path}`),
      cwd: "/",
    })

  expect(loadWith(env["COUNTERSIGN_KEY"] ?? "")).toThrow("COUNTERSIGN_KEY is shorter than 32 bytes")
  expect(loadWith("0".repeat(64))().rules).toHaveLength(1)
  expect(loadWith("0".repeat(64))().instances[0]?.resumeToken).toBe("in /config/resume.jwt")
})

test("the compose file's gate runs for AgentOS alone, and what it is told stands in a file that no other container sees", () => {
  const folder = composeBeside([...needed, "COMPOSE_PROFILES=agentos"])
  writeFileSync(join(folder, "gate.env"), "SERVICE_UPSTREAM_TOKEN=the-jwt\n")
  const { services, usual } = readCompose(folder, {})

  expect(usual).toEqual(["bot", "gate", "redis"])
  expect(readCompose(composeBeside(needed), {}).usual).toEqual(["bot", "redis"])
  expect(services["gate"]).toMatchObject({ ports: [], volumes: ["gate:/app/.countersign"], read_only: true })
  const told = Object.entries(services).filter(([, said]) => JSON.stringify(said).includes("the-jwt"))
  expect(told.map(([name]) => name)).toEqual(["gate"])
})

test.each([
  ["${A}", "a"],
  ["$A and $$A", "a and $A"],
  ["${B}${B:-b}${B-b}", "bb"],
  ["${E:-e}${E-e}", "e"],
  ["${A:+set}${B:+set}${E+set}", "setset"],
  ["${A:?why}", "a"],
])("a compose file's %s is %s, where A is a and E is empty", (text, value) => {
  expect(interpolated(text, { A: "a", E: "" })).toBe(value)
})
