// Every example of a configuration in the repository, in files and in pages, passes the checks that it would meet.
import { generateKeyPairSync } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse, parseAllDocuments, stringify } from "yaml"
import { lookAtOrder } from "../../src/cli/doctor/rules.ts"
import { schema } from "../../src/config/schema/schema.ts"
import { loadConfig, remarksOnRules } from "../../src/config.ts"
import { SOCKET_ENV } from "./load.ts"

const root = new URL("../..", import.meta.url).pathname
const sections = new Set(Object.keys(schema.shape))

interface Example {
  readonly place: string
  readonly text: string
}

/** YAML that has only keys of ours at its top. */
function isConfig(text: string): boolean {
  const value: unknown = parse(text)
  const keys = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  return keys.length > 0 && keys.every((key) => sections.has(key))
}

function inFiles(): readonly Example[] {
  const paths = ["*.{yaml,yml}", "{docs,charts,integrations}/**/*.{yaml,yml}"].flatMap((glob) =>
    globSync(glob, { cwd: root }),
  )
  // Helm's templates are no YAML yet.
  const read = paths.filter((path) => !path.includes("/templates/"))
  return read.flatMap((path) => {
    const documents = parseAllDocuments(readFileSync(join(root, path), "utf8"))
    // A ConfigMap holds the file as a text, and so do the chart's values.
    return documents.flatMap((document) => {
      const map: unknown = document.getIn(["data", "countersign.yaml"])
      const value: unknown = document.getIn(["config"])
      return [map, value, document.toString()].flatMap((text) =>
        typeof text === "string" && isConfig(text) ? [{ place: path, text }] : [],
      )
    })
  })
}

function inPages(): readonly Example[] {
  const pages = ["*.md", "docs/**/*.md"].flatMap((glob) => globSync(glob, { cwd: root }))
  return pages.flatMap((place) =>
    [...readFileSync(join(root, place), "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].flatMap(([, text = ""]) =>
      // A block that goes on from the one before begins with white space.
      !text.startsWith(" ") && isConfig(text) ? [{ place, text }] : [],
    ),
  )
}

const pem = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" })

/** What a page leaves out, and the values that its reader would set. */
function whole(text: string) {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `a-value-for-${name}`] as const)
  const { PLATFORM_TOKEN, ...slack } = SOCKET_ENV
  const webhookSecret = `whsec_${Buffer.alloc(32, "s").toString("base64")}`
  // An instance without a credential asks for none, and a variable would give it one.
  const isOpen = text.includes("instances:") && !/token|delegated/.test(text)
  const env = {
    ...Object.fromEntries(names),
    ...(text.includes("WEBHOOK_SECRET") ? { WEBHOOK_SECRET: webhookSecret } : {}),
    ...(text.includes("PAGERDUTY_URL")
      ? { PAGERDUTY_URL: "https://events.pagerduty.com/integration/abc/enqueue" }
      : {}),
    ...slack,
    ...(isOpen ? {} : { PLATFORM_TOKEN }),
    REDIS_URL: "redis://127.0.0.1:6379",
    COUNTERSIGN_KEY: "0123456789abcdef0123456789abcdef",
  }
  const file = stringify({ ...(parse(text) as object) })
  const readFile = (path: string): string => {
    if (path.endsWith("countersign.yaml")) return file
    if (path.endsWith("-headers")) return "Authorization: a credential of the receiver"
    if (path.endsWith("/webhook")) return webhookSecret
    if (path.endsWith(".jwt")) return "a-credential-that-continues-runs"
    return path.endsWith(".token") ? "cs_sa_a-credential-of-the-reader" : pem.toString()
  }
  return { env, readFile, cwd: "/srv/bot", clock: () => 0 }
}

const examples = [...inFiles(), ...inPages()]

test("the examples are found", () => {
  const places = examples.map(({ place }) => place)

  expect(places).toEqual(
    expect.arrayContaining([
      "countersign.example.yaml",
      "docs/policy/rules.yaml",
      "docs/kubernetes/countersign.yaml",
      "README.md",
      "docs/agentos.md",
      "docs/operations.md",
    ]),
  )
})

test.each(examples)("the example in $place is taken, and its rules are in order", ({ text }) => {
  const { rules } = loadConfig(whole(text))

  expect(remarksOnRules(rules)).toEqual([])
  expect(lookAtOrder(rules).filter(({ level }) => level === "fail")).toEqual([])
})

test.each(examples)("a rule for one tool in $place has a sentence for the card", ({ text }) => {
  const { rules } = loadConfig(whole(text))

  const aboutOneTool = rules.filter(({ match }) => match.tool?.length === 1 && !/[*?]/.test(match.tool[0] ?? ""))
  expect(aboutOneTool.filter(({ say }) => say === undefined).map(({ name }) => name)).toEqual([])
})
