// countersign demo, live: it says where to look, its agents ask, and it ends when it is told to. `--once` is in
// run.test.ts.

import { readdirSync } from "node:fs"
import { beforeEach, expect, it } from "vitest"
import { until } from "../../stories/acts.ts"
import { aFolder } from "../../support/opened.ts"
import { command } from "../command.ts"

let folder = ""
beforeEach(() => void (folder = aFolder("demo-test")))

it("the live demo opens a page, asks for approvals, and leaves nothing behind when Ctrl-C ends it", async () => {
  const running = command(["demo"], { env: { TMPDIR: folder }, cwd: folder })
  const page = await until("the page", () => /Open the workspace: +(\S+)/.exec(running.out())?.[1])
  await until("an approval", () => /asks: refund_payment \(approval /.test(running.out()) || undefined)

  const html = await (await fetch(page)).text()
  const script = await fetch(new URL(/<script src="([^"]+)"/.exec(html)?.[1] ?? "/nothing", page))
  expect([script.status, script.headers.get("content-type")]).toEqual([200, expect.stringContaining("javascript")])
  running.child.kill("SIGINT")

  expect(await running.ended).toMatchObject({ code: 0, err: "" })
  expect(readdirSync(folder)).toEqual([])
})

it("a port that is none is refused with what is right", async () => {
  const { code, err } = await command(["demo", "--port", "99999"], { cwd: folder }).ended

  expect(code).toBe(1)
  expect(err).toContain("0 to 65535")
})
