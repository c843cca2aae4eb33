// countersign service: every option as flag, variable and YAML key, the first line, and the refusals.
import { generateKeyPairSync } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Command } from "commander"
import { beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { addOptions, gather, keyOf, type OptionRow, variableOf } from "../../src/cli/options.ts"
import { openService } from "../../src/cli/service/service.ts"
import { toServiceOptions } from "../../src/cli/service/service-options.ts"
import { serviceOptionRows, servicePrefix } from "../../src/cli/service/service-rows.ts"
import { aToken, call, secret } from "../service/a-service.ts"
import { judgeAnswersAt } from "../service/described/start-described.ts"
import { until } from "../stories/acts.ts"
import { aFolder } from "../support/opened.ts"
import { command } from "./command.ts"

let folder: string
beforeEach(() => void (folder = aFolder("cli")))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const pem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString()

/** Starts a service by what a command line says, and gives its lines, too. */
async function started(args: readonly string[], env: Record<string, string> = {}) {
  const command = addOptions(new Command().option("--config <file>"), serviceOptionRows, servicePrefix)
  const flags = command.exitOverride().parse(args, { from: "user" }).opts()
  const lines: string[] = []
  const terminal = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) }
  const service = await openService(terminal, { flags, env })
  onTestFinished(judgeAnswersAt(service.port, { scopeMappings: {} }))
  return { ...service, lines }
}

test("5.2.2: the table has every option that the service is to have", () => {
  expect(serviceOptionRows.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "port",
      "database",
      "script",
      "verification-key",
      "algorithm",
      "jwks-file",
      "scopes-claim",
      "audience",
      "issuer",
      "token-source",
      "cookie-name",
      "admin-scope",
      "scope-mappings",
      "a2a-prefix",
      "user-isolation",
      "no-authorization",
      "upstream",
      "upstream-token",
    ]),
  )
})

describe.each(serviceOptionRows)("--$name", (row) => {
  const value = sampleOf(row)
  const flag = row.kind === "switch" ? [`--${row.name}`] : [`--${row.name}`, value]
  const read = (places: Partial<Parameters<typeof gather>[1]>): unknown => {
    const given = gather(serviceOptionRows, { flags: {}, env: {}, prefix: servicePrefix, ...places })
    if (row.kind === "switch") return given.isOn(row.name)
    return row.kind === "texts" ? given.texts(row.name) : (given.integer(row.name) ?? given.text(row.name))
  }

  test("says the same as a flag, a variable and a YAML key", () => {
    const command = addOptions(new Command(), serviceOptionRows, servicePrefix)
    const byFlag = read({ flags: command.parse(flag, { from: "user" }).opts() })

    expect(byFlag).not.toBeUndefined()
    expect(read({ env: { [variableOf(row.name, servicePrefix)]: value } })).toEqual(byFlag)
    expect(read({ file: file("service.yaml", `${keyOf(row.name)}: ${value}\n`) })).toEqual(byFlag)
  })

  test("stands in docs/service.md under its three names", () => {
    const docs = readFileSync(new URL("../../docs/service.md", import.meta.url), "utf8")
    const names = [`--${row.name}`, variableOf(row.name, servicePrefix), keyOf(row.name)]

    expect(docs.split("\n").filter((line) => names.every((name) => line.includes(`\`${name}\``)))).toHaveLength(1)
  })

  test("has a line of help that names its variable", () => {
    const help = addOptions(new Command(), serviceOptionRows, servicePrefix).helpInformation()

    expect(help.replaceAll(/\s+/g, " ")).toContain(row.help.slice(0, 30))
    expect(help).toContain(variableOf(row.name, servicePrefix))
  })
})

function sampleOf({ kind, choices }: OptionRow): string {
  if (kind === "switch") return "true"
  return kind === "integer" ? "7" : (choices?.at(-1) ?? "sample")
}

test("a flag counts before a variable, and a variable before the file", () => {
  const rows: readonly OptionRow[] = ["a", "b", "c"].map((name) => ({ name, kind: "text", help: name }))
  const given = gather(rows, {
    flags: { a: "flag" },
    env: { X_A: "variable", X_B: "variable", X_C: "" },
    prefix: "X_",
    file: file("x.yaml", "a: file\nb: file\nc: file\n"),
  })

  expect([given.text("a"), given.text("b"), given.text("c")]).toEqual(["flag", "variable", "file"])
})

test("what may be repeated is a list in YAML and in a variable as JSON", () => {
  const row = serviceOptionRows.filter(({ name }) => name === "issuer")
  const places = { flags: {}, env: {}, prefix: servicePrefix }

  expect(gather(row, { ...places, env: { SERVICE_ISSUER: '["a", "b"]' } }).texts("issuer")).toEqual(["a", "b"])
  expect(gather(row, { ...places, file: file("x.yaml", "issuer: [a, b]") }).texts("issuer")).toEqual(["a", "b"])
  expect(gather(row, { ...places, flags: { issuer: ["a", "b"] } }).texts("issuer")).toEqual(["a", "b"])
})

describe("a service that was started so", () => {
  test("says first where it listens, on any free port, and works", async () => {
    const script = file("agents.yaml", "agents: [{ id: helper }]")
    const args = ["--port", "0", "--database", join(folder, "s.sqlite"), "--script", script, "--algorithm", "HS256"]
    const service = await started([...args, "--verification-key", secret])

    const answer = await call(service, "GET /agents", { token: await aToken(["agents:read"]) })
    const without = await call(service, "GET /agents")
    await service.close()

    expect(service.lines[0]).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/)
    expect([answer.status, without.status]).toEqual([200, 401])
    expect(answer.body).toMatchObject([{ id: "helper" }])
  })

  test("takes its options from variables and a YAML file", async () => {
    const mappings = file("mappings.yaml", '"GET /approvals": [Approvals.Read]\n')
    const config = file("service.yaml", `algorithm: HS256\nscopes_claim: permissions\nscope_mappings: ${mappings}\n`)
    const service = await started([], {
      SERVICE_CONFIG: config,
      SERVICE_PORT: "0",
      SERVICE_DATABASE: ":memory:",
      SERVICE_VERIFICATION_KEY: file("secret", `${secret}\n`),
    })

    const token = await aToken([], { permissions: ["Approvals.Read"] })
    const answer = await call(service, "GET /approvals", { token })
    await service.close()

    expect(answer.status).toBe(200)
  })

  test("warns where authorization is off", async () => {
    const service = await started(["--port", "0", "--database", ":memory:", "--no-authorization"])

    expect((await call(service, "GET /approvals")).status).toBe(200)
    await service.close()

    expect(service.lines).toEqual([
      expect.stringContaining("listening on"),
      "warning: authorization is off, scopes of JWTs are not enforced",
    ])
  })
})

test("a start warns of a credential for all of an upstream that is not right, and only then", async () => {
  const token = await aToken(["approvals:read", "approvals:write"], { sub: "robot", exp: 4_000_000_000 })
  const args = ["--port", "0", "--database", ":memory:", "--upstream", "http://127.0.0.1:9", "--upstream-token", token]

  const unserved = await started(args)
  const all = await started([...args, "--upstream-routes", "all"])
  await Promise.all([unserved.close(), all.close()])

  expect(unserved.lines).toHaveLength(1)
  expect(all.lines).toEqual([
    expect.stringContaining("listening on"),
    expect.stringMatching(/^warning: upstream-token has the subject robot, .* \(docs\/how-to\/agentos-gate\.md\)$/),
  ])
})

test("as a process it prints the address first and ends in order when told to stop", async () => {
  const running = command(["service"], { env: { SERVICE_PORT: "0" }, cwd: folder })
  const url = await until("the address", () => /^listening on (\S+)$/m.exec(running.out())?.[1])

  expect((await fetch(`${url}/health`)).status).toBe(200)
  running.child.kill("SIGTERM")

  expect(await running.ended).toEqual({ code: 0, out: `listening on ${url}\n`, err: "" })
  expect(readdirSync(join(folder, ".countersign"))).toContain("service.sqlite")
})

describe("refused, with the place and the rule", () => {
  const refuse = (args: readonly string[], env: Record<string, string> = {}) =>
    started(["--database", ":memory:", "--port", "0", ...args], env).then(
      (service) => service.close().then(() => "started"),
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )

  test.each<[string, string[], Record<string, string>, string]>([
    ["a port that is none", ["--port", "http"], {}, "--port: must be a whole number from 0 to 65535"],
    ["a port beyond all ports", ["--port", "70000"], {}, "--port: must be a whole number from 0 to 65535"],
    ["no body in a variable", [], { SERVICE_MAX_BODY_BYTES: "0" }, "SERVICE_MAX_BODY_BYTES: must be a whole number"],
    [
      "an endless leeway",
      ["--leeway-seconds", "999999"],
      {},
      "--leeway-seconds: must be a whole number from 0 to 3600",
    ],
    ["no body at all", ["--max-body-bytes", "0"], {}, "--max-body-bytes: must be a whole number from 1 to"],
    ["no time at all", ["--upstream-timeout-ms", "0"], {}, "--upstream-timeout-ms: must be a whole number from 1 to"],
    [
      "a switch that is none",
      [],
      { SERVICE_USER_ISOLATION: "maybe" },
      "SERVICE_USER_ISOLATION: expected true or false",
    ],
    [
      "a choice that is none",
      [],
      { SERVICE_ALGORITHM: "none" },
      "SERVICE_ALGORITHM: expected one of RS256, ES256, HS256",
    ],
    ["an empty text", ["--admin-scope", ""], {}, "--admin-scope: expected a text that is not empty"],
    ["a broken list", [], { SERVICE_ISSUER: '["a"' }, "SERVICE_ISSUER: begins like a JSON list and is none"],
    ["a key file that is not there", ["--verification-key", "nokey.pem"], {}, "RS256 takes a key in PEM, or its file"],
    ["a script that is not there", ["--script", "noscript.yaml"], {}, "noscript.yaml: it cannot be read"],
    ["a token without an upstream", ["--upstream-token", "t"], {}, "upstream-token: there is no upstream"],
    ["R19", ["--upstream", "http://u", "--upstream-token", "t", "--no-authorization"], {}, "turn authorization on"],
    ["a prefix", ["--a2a-prefix", "a2a/"], {}, 'A2A prefix "a2a/"'],
    ["a key set that is not there", ["--jwks-file", "nokeys.json"], {}, "key set file nokeys.json: it cannot be read"],
  ])("a setting that cannot be is refused, with the place and the rule: %s", async (_name, args, env, message) => {
    expect(await refuse(args, env)).toContain(message)
  })

  test("an unknown key of the file, a file that is none, mappings that are none", async () => {
    expect(await refuse(["--config", file("a.yaml", "prot: 1")])).toContain("prot is no option; there are host, port")
    expect(await refuse(["--config", file("b.yaml", "- 1")])).toContain("expected keys and values")
    expect(await refuse(["--config", join(folder, "none.yaml")])).toContain("none.yaml")
    expect(await refuse(["--scope-mappings", file("m.yaml", "GET /x: a")])).toContain("GET /x")
  })
})

describe("HS256: whoever knows the name of a file does not have the secret", () => {
  const keyed = (...args: readonly string[]) =>
    started(["--database", ":memory:", "--port", "0", "--algorithm", "HS256", ...args])
  const refused = (...args: readonly string[]) => expect(keyed(...args)).rejects
  const elsewhere = "/etc/countersign/hs256-secret.txt"

  test.each([
    ["a path", elsewhere],
    ["a path here", "./secrets-of-countersign/production/hs256"],
    ["a path above", "../secrets-of-countersign/production/hs256"],
    ["a path at home", "~/secrets-of-countersign/production/hs256"],
    ["the name of a text", "the-secret-of-countersign-in-production.txt"],
    ["the name of a PEM", "the-secret-of-countersign-in-production.pem"],
    ["the name of a key", "the-secret-of-countersign-in-production.KEY"],
    ["the name of anything short", "hs256-secret"],
  ])("%s of a file that is not there is no secret", async (_what, name) => {
    await refused("--verification-key", name).toThrow(
      /^verification-key: .*32 bytes or more .openssl rand -hex 32.*--verification-key-file$/,
    )
  })

  test("as a process it does not start, and says why", async () => {
    const running = command(["service", "--algorithm", "HS256", "--verification-key", elsewhere], { cwd: folder })

    expect(await running.ended).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining(
        "verification-key: this is the name of a file, and no secret, and there is no such file",
      ),
    })
  })

  test("a file is named by an option of its own, and has to be there", async () => {
    const service = await keyed("--verification-key-file", file("hs256", `${secret}\n`))
    const answer = await call(service, "GET /agents", { token: await aToken(["agents:read"]) })
    await service.close()

    expect(answer.status).toBe(200)
    await refused("--verification-key-file", elsewhere).toThrow(
      `verification-key-file: ${elsewhere}: it cannot be read`,
    )
    await refused("--verification-key-file", file("short", "hs256-secret")).toThrow("is shorter than 32 bytes")
    await refused("--verification-key-file", file("empty", "\n")).toThrow("verification key: it is empty")
  })

  test("what may be a secret counts as one, unless a file has that name, since then nobody can tell", async () => {
    const name = "the-secret-of-countersign-in-production"
    file(name, secret)

    const running = command(["service", "--algorithm", "HS256", "--verification-key", name], { cwd: folder })

    expect(await running.ended).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining("verification-key: a file has this name; give it by --verification-key-file"),
    })
  })

  test("a secret in base64 may begin as a path does", async () => {
    const service = await keyed("--verification-key", `/${Buffer.alloc(32, 7).toString("base64").slice(1)}`)
    await service.close()

    expect(service.lines).toHaveLength(1)
  })
})

test("a PEM may be given as a file or as text", () => {
  const optionsOf = (key: string, flag = "verificationKey") =>
    toServiceOptions(gather(serviceOptionRows, { flags: { [flag]: [key] }, env: {}, prefix: servicePrefix }), Date.now)

  expect(optionsOf(pem).verificationKeys).toEqual([pem])
  expect(optionsOf(file("key.pem", pem)).verificationKeys).toEqual([pem.trim()])
  expect(optionsOf(file("key.pem", pem), "verificationKeyFile").verificationKeys).toEqual([pem.trim()])
})
