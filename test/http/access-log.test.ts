// The access log by itself: what a line says, where it goes, how long it stays, and what happens if it cannot be kept.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Hono } from "hono"
import { expect, test } from "vitest"
import type { Alarm } from "../../src/flow/ports.ts"
import { type Access, createAccessLog } from "../../src/http/access-log.ts"
import { startHttp } from "../../src/http/server.ts"
import { createLog } from "../../src/log.ts"
import { aClock, noon } from "../support/clock.ts"
import { aFolder, opened } from "../support/opened.ts"

const dayMs = 86_400_000
const read: Access = { act: "read", by: "token", subject: "ann" }

/** A server that notes each request to it as `access`, and says 503 if that failed. */
async function noting({ folder, access = read }: { readonly folder?: string; readonly access?: Access }) {
  const clock = aClock()
  const lines: Record<string, unknown>[] = []
  const alarms: Alarm[] = []
  const log = createLog({ write: (line) => void lines.push(JSON.parse(line)), clock: clock.now, secrets: [] })
  const kept = folder === undefined ? undefined : { folder, keepMs: 30 * dayMs }
  const alarm = (one: Alarm) => void alarms.push(one)
  const accessLog = createAccessLog({ kept, replica: "0a1b", clock: clock.now, log, alarm })
  const app = new Hono()
  app.all("*", async (context) => {
    try {
      await accessLog.note(context, access)
      return context.text("shown")
    } catch (error) {
      return context.text(String(error), 503)
    }
  })
  const { url } = await opened(startHttp({ app, port: 0, host: "127.0.0.1" }))
  return { clock, lines, alarms, url }
}

function linesOf(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
}

test("without a folder an access is a line of the log", async () => {
  const { url, lines } = await noting({})

  await fetch(`${url}/cases?limit=5`, { headers: { "x-forwarded-for": "203.0.113.9" } })

  expect(lines).toEqual([
    {
      time: new Date(noon).toISOString(),
      level: "info",
      event: "access",
      act: "read",
      by: "token",
      subject: "ann",
      name: null,
      from: "127.0.0.1",
      forwarded: "203.0.113.9",
      what: "GET /cases?limit=5",
    },
  ])
})

test("with a folder each day has a file of this process, which only its owner reads", async () => {
  const folder = join(aFolder("access"), "new")
  const { url, clock, lines } = await noting({ folder })

  await fetch(`${url}/cases`)
  await fetch(`${url}/ledger`)
  clock.forward(dayMs)
  await fetch(`${url}/cases`)

  const [first = "", second = ""] = readdirSync(folder).toSorted()
  expect([first, second]).toEqual(["2026-11-21-0a1b.jsonl", "2026-11-22-0a1b.jsonl"])
  expect(linesOf(join(folder, first))).toMatchObject([{ what: "GET /cases" }, { what: "GET /ledger" }])
  expect(statSync(join(folder, first)).mode & 0o777).toBe(0o600)
  expect(lines).toEqual([])
})

test("files go when their day ended longer ago than they are kept, and nothing else in the folder does", async () => {
  const folder = aFolder("access")
  const before = ["2026-10-20-0a1b.jsonl", "2026-10-21-ffff.jsonl", "2026-10-22-ffff.jsonl", "2020-01-01-notes.txt"]
  for (const name of before) writeFileSync(join(folder, name), "")
  const { url } = await noting({ folder })

  await fetch(`${url}/cases`)

  expect(readdirSync(folder).toSorted()).toEqual([
    "2020-01-01-notes.txt",
    "2026-10-22-ffff.jsonl",
    "2026-11-21-0a1b.jsonl",
  ])
})

test("if a line cannot be kept, that is an error and one alarm, until it can be kept again", async () => {
  const folder = join(aFolder("access"), "taken")
  writeFileSync(folder, "no folder")
  const { url, alarms } = await noting({ folder })

  const first = await fetch(`${url}/cases`)
  await fetch(`${url}/cases`)

  expect([first.status, await first.text()]).toEqual([503, expect.stringContaining("nothing is shown")])
  expect(alarms).toMatchObject([{ code: "access-log-not-kept", folder, hint: "make http.access_log.folder writable" }])
})

test("a line has no query of an address that a provider sends browsers to, and no endless text", async () => {
  const folder = aFolder("access")
  const access = { act: "sign-in-refused", by: "sign-in", subject: null, why: "w".repeat(900) } as const
  const { url } = await noting({ folder, access })

  await fetch(`${url}/page/sign-in/callback?code=secret-code&state=x`)

  const [file = ""] = readdirSync(folder)
  expect(linesOf(join(folder, file))).toMatchObject([
    { what: "GET /page/sign-in/callback", why: `${"w".repeat(500)}…` },
  ])
})
