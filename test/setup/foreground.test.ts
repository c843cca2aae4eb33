// A program in our place: what becomes of a signal that comes once more after the program has ended.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expect, onTestFinished, test } from "vitest"

const foreground = new URL("../../src/setup/foreground.mjs", import.meta.url).href
const program = `process.on("SIGINT", () => process.exit(0)); setInterval(() => undefined, 1_000); console.log("up")`
const inPlace = `
import { endLike, runInForeground } from ${JSON.stringify(foreground)}
endLike(await runInForeground([process.execPath, "-e", ${JSON.stringify(program)}], { env: process.env }))
console.log("ended")
process.stdin.resume().on("end", () => process.exit())`

test("a signal that comes twice, as npm passes it on, does not end us otherwise than the program ended", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", inPlace], { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()

  expect((await lines.next()).value).toBe("up")
  child.kill("SIGINT")
  expect((await lines.next()).value).toBe("ended")
  child.kill("SIGINT")
  child.stdin.end()

  expect(await once(child, "exit")).toEqual([0, null])
})
