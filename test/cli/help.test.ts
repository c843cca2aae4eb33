// The help of the command line: each command has one with an example, and a wrong word gets the right one told.
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import ours from "../../package.json" with { type: "json" }
import { command, type Ended } from "./command.ts"

/** Every command that does something, as it is typed. */
const commands = [
  "run",
  "demo",
  "sandbox",
  "service",
  "service conformance",
  "doctor",
  "manifest",
  "report",
  ...["mint", "inspect", "explain"].map((name) => `token ${name}`),
  ...["verify", "export", "prove", "accept"].map((name) => `ledger ${name}`),
  "cases export",
  ...["verify", "show", "keys"].map((name) => `receipt ${name}`),
  "keys export",
  "activate",
  "stop",
  "stops",
  "stops end",
  ...["requester", "tool", "case", "list", "end"].map((name) => `hold ${name}`),
  "webhooks",
  ...["retry", "replay", "on", "forget"].map((name) => `webhooks ${name}`),
  ...["list", "link", "unlink", "away", "back", "erase"].map((name) => `people ${name}`),
  ...["check", "diff", "explain", "matrix", "test", "simulate"].map((name) => `policy ${name}`),
]

function countersign(...args: readonly string[]): Promise<Ended> {
  return command(args, { cwd: tmpdir() }).ended
}

/** The commands that a help lists. */
function listedIn(help: string): readonly string[] {
  return [...help.replace(/\nExamples?:[\s\S]*$/, "").matchAll(/^ {2}([a-z]+)\b/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help")
}

test("the help of each command names its options and an example that begins as it is typed", async () => {
  for (const name of commands) {
    const { code, out } = await countersign("help", ...name.split(" "))

    expect({ name, code, out }).toMatchObject({ code: 0, out: expect.stringContaining(`Usage: countersign ${name} `) })
    expect(out).toContain("-h, --help")
    expect(out).toMatch(new RegExp(`^ {2}countersign ${name}\\b`, "m"))
  }
})

test("no command is left out of that", async () => {
  const top = listedIn((await countersign("help")).out.replace(/^[\s\S]*Commands:/, ""))
  const below = await Promise.all(
    top.map(async (name) => {
      const { out } = await countersign("help", name)
      if (!out.includes("Commands:")) return [name]
      const inside = listedIn(out.replace(/^[\s\S]*Commands:/, "")).map((one) => `${name} ${one}`)
      return ["service", "stops", "webhooks"].includes(name) ? [name, ...inside] : inside
    }),
  )

  expect(below.flat().toSorted()).toEqual(commands.toSorted())
})

test("the help of all commands says where the pages lie that messages name", async () => {
  const { out } = await countersign("help")
  const [, folder = ""] = /^Messages name pages of docs\/\. It lies here: (\S+)$/m.exec(out) ?? []

  expect(readdirSync(folder)).toEqual(expect.arrayContaining(["README.md", "agentos.md", "how-to"]))
})

test("--version prints the version and nothing else", async () => {
  expect(await countersign("--version")).toEqual({ code: 0, out: `${ours.version}\n`, err: "" })
})

test("doctor posts a test card to an id alone, and says so", async () => {
  const { code, err } = await countersign("doctor", "--test-card", "#general")

  expect(code).toBe(1)
  expect(err).toContain("takes the id of a channel (C…) or of a person (U…), not #general")
})

test.each([
  [["demo", "--port", "70000"], "--port: must be a whole number from 0 to 65535, not 70000"],
  [["demo", "--port", "1e3"], "--port: must be a whole number from 0 to 65535, not 1e3"],
  [["demo", "--port", ""], "--port: must be a whole number from 0 to 65535"],
  [["service", "--port", "70000"], "--port: must be a whole number from 0 to 65535"],
  [["ledger", "prove", "1.5"], "the entry's number: must be a whole number of 1 or more, not 1.5"],
  [["policy", "simulate", "rules.yaml", "--seed", "x"], "--seed: must be a whole number from 0 to 999999999, not x"],
  [
    ["token", "mint", "--algorithm", "HS256", "--expires-in-seconds", "0", "--key", "k"],
    "--expires-in-seconds: must be",
  ],
])("a number that cannot be is refused, with what can: %j", async (words, message) => {
  const { code, out, err } = await countersign(...words)

  expect({ code, out }).toEqual({ code: 1, out: "" })
  expect(err).toContain(message)
  expect(err).not.toMatch(/\n\s+at /)
})

test.each([
  [["ledgr"], "Did you mean ledger?"],
  [["ledger", "verfy"], "Did you mean verify?"],
  [["ledger", "export", "--frm", "1"], "Did you mean --from?"],
  [["run", "--activat"], "Did you mean --activate?"],
])("a wrong word or option gets the right one told, and exit code 1: %j", async (words, meant) => {
  const { code, out, err } = await countersign(...words)

  expect(code).toBe(1)
  expect(out).toBe("")
  expect(err).toContain(meant)
  expect(err).toContain("countersign help")
})
