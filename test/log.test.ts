// The log: one JSON line per event, and no secret in any of them.
import { describe, expect, test } from "vitest"
import { createLog, type Fields, type Level } from "../src/log.ts"
import { cpuMs } from "./support/cpu-time.ts"

const AT = Date.UTC(2026, 10, 21, 4, 0, 0)

function aLog(options: { readonly secrets?: readonly string[]; readonly level?: Level } = {}) {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const { level } = options
  const log = createLog({ write, clock: () => AT, secrets: options.secrets ?? [], ...(level && { level }) })
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Fields) }
}

describe("a line", () => {
  test("is one JSON object with time, level, event and fields", () => {
    const { log, lines } = aLog()

    log.warn("card_late", { caseId: "main:1", text: "two\nlines", list: [1, true, null], at: new Date(AT) })

    expect(lines).toEqual([
      '{"time":"2026-11-21T04:00:00.000Z","level":"warn","event":"card_late","caseId":"main:1","text":"two\\nlines","list":[1,true,null],"at":"2026-11-21T04:00:00.000Z"}',
    ])
  })

  test("carries the fields that its log is bound to", () => {
    const { log, parsed } = aLog()

    log.child({ instance: "main", n: 1 }).child({ n: 2 }).info("polled", { found: 3 })

    expect(parsed()[0]).toMatchObject({ event: "polled", instance: "main", n: 2, found: 3 })
  })

  test("a line below the level is not written", () => {
    const { log, parsed } = aLog({ level: "warn" })

    for (const level of ["debug", "info", "warn", "error"] as const) log[level](level)

    expect(parsed().map(({ event }) => event)).toEqual(["warn", "error"])
  })

  test("keeps its head, whatever the fields are called", () => {
    const { log, parsed } = aLog()

    log.info("real", { event: "forged", level: "error", time: 0 })

    expect(parsed()[0]).toMatchObject({ event: "real", level: "info", _event: "forged" })
  })

  test("tells an error with its code, fields, cause and parts", () => {
    const { log, parsed } = aLog()
    const inner = new TypeError("inner")
    const error = Object.assign(new Error("outer", { cause: inner }), { code: "timeout", status: 500 })

    log.error("failed", { error, all: new AggregateError([inner], "both") })

    expect(parsed()[0]).toMatchObject({
      error: {
        name: "Error",
        message: "outer",
        code: "timeout",
        status: 500,
        cause: { name: "TypeError", message: "inner" },
      },
      all: { message: "both", errors: [{ message: "inner" }] },
    })
    expect((parsed()[0]?.["error"] as Fields | undefined)?.["stack"]).toContain("log.test.ts")
  })

  test("survives what JSON does not know", () => {
    const { log, parsed } = aLog()
    const round: Record<string, unknown> = {}
    round["self"] = round
    const deep = JSON.parse(`${"[".repeat(50)}${"]".repeat(50)}`) as unknown

    log.info("odd", {
      round,
      big: 10n,
      bytes: Buffer.from("abc"),
      map: new Map([["a", 1]]),
      set: new Set([1]),
      deep,
      no: new Date(NaN),
    })

    expect(parsed()[0]).toMatchObject({
      round: { self: "[circular]" },
      big: "10",
      bytes: "[3 bytes]",
      map: [["a", 1]],
      set: [1],
      no: "[no date]",
    })
    expect(JSON.stringify(parsed()[0])).toContain("[deep]")
  })

  test("is cut where a text is endless", () => {
    const { log, lines } = aLog()

    log.info("long", { text: "x".repeat(100_000) })

    expect(lines[0]?.length).toBeLessThan(9_000)
    expect(lines[0]).toContain("(100000 characters)")
  })
})

test.each([
  ["addresses", "https://"],
  ["a credential behind many blanks", `Bearer${" ".repeat(300_000)}`],
  ["addresses with credentials", "://a:"],
  ["tokens", "eyJa."],
])("R20 no text takes long to write, not even a megabyte of %s", (_what, part) => {
  const { log, parsed } = aLog()
  const begun = cpuMs()

  log.info("told", { text: `${part.repeat(1_000_000 / part.length)}x` })

  expect(parsed()[0]?.["text"]).toMatch(/characters\)$/)
  expect(cpuMs() - begun).toBeLessThan(2_000)
})

describe("a secret", () => {
  const SECRET = "s3cr3t-value"

  test.each<[string, Fields]>([
    ["a field", { text: `before ${SECRET} after` }],
    ["a nested field", { a: [{ b: new Map([["c", SECRET]]) }] }],
    ["a key", { [`key ${SECRET}`]: 1 }],
    ["an error's message", { error: new Error(`no ${SECRET}`) }],
    ["a cause", { error: new Error("x", { cause: new Error("y", { cause: SECRET }) }) }],
    ["an error's own field", { error: Object.assign(new Error("x"), { request: { headers: [SECRET] } }) }],
  ])("a secret that was given is removed from %s", (_, fields) => {
    const { log, lines } = aLog({ secrets: ["s3cr3t", SECRET, ""] })

    log.child(fields).error("failed")

    expect(lines[0]).not.toContain("s3cr3t")
    expect(lines[0]).not.toContain("value")
    expect(lines[0]).toContain("[removed]")
  })

  test("a secret that was learnt later is removed from then on, from children made before too", () => {
    const { log, lines } = aLog({ secrets: ["s3cr3t"] })
    const child = log.child({ instance: "main" })

    log.hide("s3cr3t-and-more")
    child.info("seen", { text: "got s3cr3t-and-more and s3cr3t" })

    expect(lines[0]).toContain("got [removed] and [removed]")
  })

  test.each([
    ["xoxb-123-456-abcDEF"],
    ["xoxe.xoxp-1-Mi0yLTEyMzQ1"],
    ["xapp-1-A012-345-deadbeef"],
    ["agno_pat_0123456789abcdefghij"],
    ["cs_sa_0123456789abcdefghij-_"],
    ["ghp_0123456789abcdefghijABCDEFGHIJ012345"],
    ["gho_0123456789abcdefghijABCDEFGHIJ012345"],
    ["github_pat_11AAAAAAA0123456789ab_0123456789abcdefghij"],
    ["AKIA0123456789ABCDEF"],
    ["ASIA0123456789ABCDEF"],
    ["sk-0123456789abcdefghijABCD"],
    ["sk-proj-0123456789_abcdefghij-ABCD"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"],
    ["https://hooks.slack.com/actions/T1/2/abcdef"],
    ["http://127.0.0.1:4000/actions/T1/2/abcdef"],
    ["https://hooks.slack.com/services/T1/B2/abcdef"],
  ])("is known by its looks: %s", (secret) => {
    const { log, parsed } = aLog()

    log.info("seen", { text: `got ${secret}, sorry`, error: new Error(`at ${secret}`) })

    expect(parsed()[0]?.["text"]).toBe("got [removed], sorry")
    expect((parsed()[0]?.["error"] as Fields | undefined)?.["message"]).toBe("at [removed]")
  })

  test.each(["disk-usage-of-the-whole-machine", "ask-sk-the-clerk", "sk-1", "MAKIAVELLI0123456789", "ghp_1"])(
    "a word that only begins like one stays: %s",
    (word) => {
      const { log, parsed } = aLog()

      log.info("seen", { text: word })

      expect(parsed()[0]?.["text"]).toBe(word)
    },
  )

  test.each([
    ["Authorization: Bearer abc.def", "abc.def"],
    ["redis://user:hunter2@db:6379", "hunter2"],
    ["wss://wss-primary.slack.com/link/?ticket=abc-123&app_id=9f8e", "abc-123"],
  ])("a secret in %s is removed", (text, secret) => {
    const { log, lines } = aLog()

    log.info("seen", { text })

    expect(lines[0]).not.toContain(secret)
  })

  test.each([
    "token",
    "bot_token",
    "appToken",
    "authorization",
    "response_url",
    "responseUrl",
    "password",
    "signingSecret",
  ])("a secret under the name %s is removed whole", (name) => {
    const { log, parsed } = aLog()

    log.info("seen", { deep: { [name]: "anything" } })

    expect(parsed()[0]).toMatchObject({ deep: { [name]: "[removed]" } })
  })

  test("is not what has no secret in it", () => {
    const { log, parsed } = aLog()
    const fields = {
      approval: "ade2fc43-6f0f-4ffe-a86d-cca95b4a8f7f",
      url: "https://agents.example.com/approvals",
      digest: "0".repeat(64),
    }

    log.info("seen", fields)

    expect(parsed()[0]).toMatchObject(fields)
  })
})
