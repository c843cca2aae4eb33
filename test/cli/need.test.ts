// ledger, receipt and policy ask only for what they need: Redis and its key, or a file. Never for a token.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { aFolder } from "../support/opened.ts"
import { redisByAddress } from "../support/redis.ts"
import { command, type Ended } from "./command.ts"

const root = new URL("../..", import.meta.url).pathname

/** A file as an operator has it: each secret is named, and none of them is set. */
const file = `
redis_url: \${REDIS_URL}
instances:
  - { name: main, url: "\${AGENTS_URL}", token_file: /run/secrets/not-here }
  - { name: other, url: https://other.example.com, token: "\${OTHER_TOKEN}" }
slack: { mode: socket, bot_token: "\${BOT}", app_token: "\${SLACK_APP_TOKEN}", sandbox: true }
rules: [{ name: all, match: { instance: main }, routes: [C1], approvers: ["\${CFO}"], unknown_requester: allow }]
`

/** Commands in a folder, with Redis and key alone in their environment. */
async function withRedis(yaml?: string) {
  const cwd = folderWith(yaml)
  const env = { REDIS_URL: await redisByAddress(), COUNTERSIGN_KEY: "k".repeat(16) + "0123456789abcdef" }
  return (...words: readonly string[]): Promise<Ended> => command(words, { env, cwd }).ended
}

function folderWith(yaml?: string): string {
  const folder = aFolder("need")
  if (yaml !== undefined) writeFileSync(join(folder, "countersign.yaml"), yaml)
  return folder
}

test.each([
  ["without a file", undefined],
  ["with a file that names secrets", file],
])("ledger and receipt want Redis and the key alone, %s", async (_how, yaml) => {
  const countersign = await withRedis(yaml)

  expect(await countersign("ledger", "verify")).toMatchObject({ code: 0, err: "" })
  expect(await countersign("ledger", "export")).toEqual({ code: 0, out: "", err: "" })
  expect(await countersign("ledger", "accept")).toMatchObject({ code: 0, out: expect.stringContaining("0 entries") })
  expect(await countersign("receipt", "keys")).toMatchObject({ code: 0, out: expect.stringContaining('"keys"') })
  expect(await countersign("keys", "export")).toMatchObject({ code: 0, out: expect.stringContaining('"marks.db"') })
  expect(await countersign("ledger", "prove", "1")).toEqual({
    code: 1,
    out: "",
    err: expect.stringContaining("no checkpoint covers entry 1"),
  })
  expect(await countersign("receipt", "show", "nothing")).toEqual({
    code: 1,
    out: "",
    err: expect.stringContaining("there is no receipt of a decision nothing"),
  })
})

test("ledger still says what it does need: a Redis by address without the key, or a variable that is not set", async () => {
  const verify = (env: Record<string, string>) => command(["ledger", "verify"], { env, cwd: folderWith(file) }).ended

  const unset = await verify({})
  const keyless = await verify({ REDIS_URL: "redis://127.0.0.1:9" })

  expect(unset).toMatchObject({ code: 1, err: expect.stringContaining("redis_url names ${REDIS_URL}") })
  expect(unset.err).not.toMatch(/SLACK|BOT|OTHER_TOKEN|AGENTS_URL|CFO/)
  expect(keyless).toMatchObject({ code: 1, err: expect.stringContaining("COUNTERSIGN_KEY is not set") })
})

test("policy wants a file alone: check, test, and explain of a record", async () => {
  const env = { COUNTERSIGN_CONFIG: "docs/policy/rules.yaml" }
  const policy = (...words: readonly string[]) => command(["policy", ...words], { env, cwd: root }).ended

  const check = await policy("check")

  expect(check).toMatchObject({ code: 0, err: "" })
  expect(check.out).toContain("SLACK_BOT_TOKEN is not set")
  expect(await policy("test", "docs/policy/tests.yaml")).toMatchObject({ code: 0, err: "" })
  const explained = await policy("explain", "docs/policy/refund.json")
  expect(explained).toMatchObject({ code: 0, err: "" })
  expect(explained.out).toContain("Slack was not asked: SLACK_BOT_TOKEN is not set")
})

test("policy asks no secret of a file that names some, and names what explain needs of an instance", async () => {
  const rules = file.replace("${CFO}", "U1")
  const policy = (...words: readonly string[]) => command(["policy", ...words], { cwd: folderWith(rules) }).ended
  const withFile = rules.replace("token_file: /run/secrets/not-here", 'token: "${MAIN_TOKEN}"')

  const check = await policy("check", "--offline")
  const explain = await command(["policy", "explain", "main/ap-1"], { cwd: folderWith(withFile) }).ended

  expect(check).toMatchObject({ code: 0, err: "" })
  expect(explain).toMatchObject({ code: 1, err: expect.stringContaining("names ${MAIN_TOKEN}, which is not set") })
  expect(explain.err).not.toMatch(/BOT|SLACK/)
})
