// The credential in a file as it is at the moment: written anew, swapped as Kubernetes does it, gone, or broken.
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openTokenFile } from "../../src/bot/platforms.ts"
import type { TokenFile } from "../../src/config/parts/token-file.ts"
import type { Alarm } from "../../src/flow/ports.ts"
import { aClock } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"

/** A file with a credential, and what it gives a second later. */
async function aFile(use: Pick<TokenFile, "holds"> & { readonly other?: () => string } = { holds: "token" }) {
  const folder = aFolder("token")
  const path = join(folder, "token")
  await writeFile(path, "first\n")
  const clock = aClock()
  const alarms: Alarm[] = []
  const hidden: string[] = []
  const log = { info: () => undefined, hide: (secret: string) => void hidden.push(secret) }
  const alarm = (one: Alarm) => void alarms.push(one)
  const { holds, ...more } = use
  const file = { path, holds, risk: "never" } as const
  const present = openTokenFile({ instance: "main", file, token: "first", clock: clock.now, log, alarm, ...more })
  const later = () => {
    clock.forward(1_000)
    return present()
  }
  return { folder, path, clock, alarms, hidden, present, later }
}

test("a file that is written anew counts within a second, and what it holds is hidden from the log", async () => {
  const { path, clock, present, later, hidden, alarms } = await aFile()
  expect(present()).toBe("first")

  await writeFile(path, "second\n")
  clock.forward(999)
  expect(present()).toBe("first")
  expect(later()).toBe("second")
  expect(later()).toBe("second")

  expect(hidden).toEqual(["second"])
  expect(alarms).toEqual([])
})

test("one that was replaced between the reading of the config and the first call counts at once", async () => {
  const { path, present } = await aFile()

  await writeFile(path, "second")

  expect(present()).toBe("second")
})

test("links that are swapped, as Kubernetes replaces a secret, are followed", async () => {
  const { folder, path, present, later } = await aFile()
  const put = async (name: string, token: string) => {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, "token"), token)
    await symlink(name, join(folder, "..data_tmp"))
    await rename(join(folder, "..data_tmp"), join(folder, "..data"))
  }
  await put("..2026_1", "first")
  await rm(path)
  await symlink(join("..data", "token"), path)
  expect(present()).toBe("first")

  await put("..2026_2", "other")
  await rm(join(folder, "..2026_1"), { recursive: true })

  expect(later()).toBe("other")
})

test.each([
  ["is empty", async (path: string) => writeFile(path, "\n")],
  ["holds a line break", async (path: string) => writeFile(path, "sec\nret")],
  ["cannot be read", async (path: string) => rm(path)],
  [
    "holds approvals:write and agents:run",
    async (path: string) => {
      const claims = Buffer.from(JSON.stringify({ scopes: ["approvals:write", "agents:run"] })).toString("base64url")
      await writeFile(path, `e30.${claims}.c2ln`)
    },
  ],
])("a file that %s keeps the last credential, and is one alarm until it changes", async (why, spoil) => {
  const { path, present, later, alarms } = await aFile()
  present()

  await spoil(path)
  expect([later(), later(), later()]).toEqual(["first", "first", "first"])
  expect(alarms).toMatchObject([
    { code: "token-file-unusable", instance: "main", file: path, why: expect.stringContaining(why) },
  ])
  expect(JSON.stringify(alarms)).not.toContain("sec\\nret")

  await writeFile(path, "second")
  expect(later()).toBe("second")
  await rm(path)
  expect([later(), later()]).toEqual(["second", "second"])
  expect(alarms).toHaveLength(2)
})

test("a file that is empty only while somebody writes it raises no alarm", async () => {
  const { path, present, later, alarms } = await aFile()
  present()

  await writeFile(path, "")
  expect(later()).toBe("first")
  await writeFile(path, "second")

  expect([later(), later()]).toEqual(["second", "second"])
  expect(alarms).toEqual([])
})

test.each([
  ["that continues runs", "resume_token", "the-deciding-one", "holds the credential that reads and resolves approvals"],
  ["that decides", "token", "the-running-one", "holds the credential that continues runs"],
] as const)(
  "a file for the credential %s never becomes the other one of its instance",
  async (_, holds, taken, why) => {
    const { path, present, later, alarms } = await aFile({ holds, other: () => taken })
    present()

    await writeFile(path, taken)
    expect([later(), later()]).toEqual(["first", "first"])
    expect(alarms).toMatchObject([{ code: "token-file-unusable", file: path, why }])

    await writeFile(path, "second")
    expect(later()).toBe("second")
  },
)

test.each([
  ["a subject", { sub: "bot" }, "holds a credential that has a subject"],
  [
    "the scope to resolve",
    { scopes: ["agents:run", "approvals:write"] },
    "holds a credential that holds approvals:write",
  ],
])("a file for the credential that continues runs refuses one with %s", async (_, claims, why) => {
  const { path, present, later, alarms } = await aFile({ holds: "resume_token" })
  present()

  await writeFile(path, `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`)

  expect([later(), later()]).toEqual(["first", "first"])
  expect(alarms).toMatchObject([{ code: "token-file-unusable", why: expect.stringContaining(why) }])
})
