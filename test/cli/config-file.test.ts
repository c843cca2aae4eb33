// Which file a command reads: the one of its folder or of --config; and what it says if there is none.
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { command } from "./command.ts"

/** Every command that reads the config, with what it wants besides. */
const readers: readonly string[] = [
  "run",
  "run --dry-run",
  "doctor",
  "ledger verify",
  "cases export",
  "ledger export",
  "ledger prove 1",
  "ledger accept",
  "receipt verify receipt.txt",
  "receipt show decision",
  "receipt keys",
  "keys export",
  "people list",
  "people link jane@corp.example U1",
  "people unlink jane@corp.example",
  "people erase T1:U1",
  "policy check",
  "policy explain refund.json",
  "policy test tests.yaml",
  "policy matrix",
  "policy simulate rules.yaml",
]

const rules = "rules: [{name: all, routes: [C1], approvers: [U1], unknown_requester: allow}]"

function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(aFolder("config"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

async function said(line: string, cwd: string) {
  const { code, out, err } = await command(line.split(" "), { cwd }).ended
  return { code, words: `${out}${err}` }
}

test.each(readers)(
  "countersign %s names the folder without a countersign.yaml, and makes nothing there",
  async (line) => {
    const cwd = folderOf({ "receipt.txt": "a.b.c", "refund.json": "{}", "tests.yaml": "", "rules.yaml": rules })
    const before = readdirSync(cwd)

    const { code, words } = await said(line, cwd)

    expect(code).toBe(1)
    expect(words).toContain(cwd)
    expect(words).toContain("no countersign.yaml")
    expect(words).toContain("--config")
    expect(readdirSync(cwd)).toEqual(before)
  },
)

test.each(readers)("countersign %s takes --config, and names a file that is not there", async (line) => {
  const cwd = folderOf({ "receipt.txt": "a.b.c", "refund.json": "{}", "tests.yaml": "", "rules.yaml": rules })

  const { code, words } = await said(`${line} --config nowhere.yaml`, cwd)

  expect(code).toBe(1)
  expect(words).toContain(`${join(cwd, "nowhere.yaml")} does not exist`)
})

test("a countersign.yml is told to the operator, and how to have it read", async () => {
  const cwd = folderOf({ "countersign.yml": rules })

  const refused = await said("policy check --offline", cwd)
  const taken = await said("policy check --offline --config countersign.yml", cwd)

  expect(refused).toMatchObject({ code: 1 })
  expect(refused.words).toContain(`${join(cwd, "countersign.yml")} is not read`)
  expect(refused.words).toContain("rename it to countersign.yaml")
  expect(taken).toMatchObject({ code: 0 })
})

test("a config in another folder is read from there, and data_folder stays below the working directory", async () => {
  const cwd = folderOf({ "rules.yaml": "{}" })
  mkdirSync(join(cwd, "etc"))
  writeFileSync(join(cwd, "etc", "bot.yaml"), rules)

  const checked = await said("policy check --offline --config etc/bot.yaml", cwd)
  const verified = await said("ledger verify --config etc/bot.yaml", cwd)

  expect(checked).toMatchObject({ code: 0 })
  expect(verified.code).toBe(1)
  expect(verified.words).toContain(`${join(cwd, ".countersign", "key")} is not there: nothing was ever kept here`)
})

test("two configs of policy diff are files, and the one that is wrong is named without any variable", async () => {
  const cwd = folderOf({ "old.yaml": rules, "new.yaml": "rules: []" })

  const { code, words } = await said("policy diff old.yaml new.yaml", cwd)

  expect(code).toBe(1)
  expect(words).toContain("new.yaml:1:8 rules must list at least one rule")
})
