// The examples of the gate's package for programs without agno: they ask people by the embedded service, and run once.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { run } from "../../src/setup/processes.mjs"
import { aWorld } from "../stories/a-world.ts"
import { card, press } from "../stories/acts.ts"
import { sandboxCast } from "../stories/world.ts"
import { aFolder } from "../support/opened.ts"
import { terminalEnv } from "../support/terminal.ts"
import { pythonWith } from "../tools/agentos.mjs"
import { gatePackage, VERSIONS } from "./agentos.ts"
import { writeGate } from "./gate-attacks.ts"

const [version = ""] = VERSIONS
const examples = ["plain_script.py", "langgraph_interrupt.py"] as const

/** Runs an example while Bob decides so, and gives what it printed. */
async function played(example: string, verb: "approve" | "reject") {
  const world = await aWorld()
  const folder = aFolder("example")
  const gate = join(folder, "gate.json")
  await writeGate(gate, world)
  const scopes = ["approvals:create", "approvals:read"] as const
  const env = {
    ...terminalEnv,
    PYTHONPATH: gatePackage,
    PYTHONDONTWRITEBYTECODE: "1",
    COUNTERSIGN_GATE: gate,
    COUNTERSIGN_SERVICE: world.service.url,
    COUNTERSIGN_TOKEN: world.service.mintServiceAccount({ name: "example", scopes }),
  }
  const at = fileURLToPath(new URL(`../../integrations/agno/examples/${example}`, import.meta.url))
  const running = run([pythonWith(version, process.env), at, "12.5", "carol"], { env, cwd: folder })
  await press(world, sandboxCast.bob, await card(world, "pay"), verb)
  return running
}

test.each(examples)("%s runs what was approved, and knows by whom", async (example) => {
  const { code, output } = await played(example, "approve")

  expect(output).toContain("paid 12.5 to carol, approved by bob@sandbox.example")
  expect(code).toBe(0)
})

test.each(examples)("%s does not run what was rejected", async (example) => {
  const { code, output } = await played(example, "reject")

  expect(output).toContain("countersign refused: the call was rejected")
  expect(output).not.toContain("paid")
  expect(code).toBe(1)
})

test("a graph that is resumed without asking anybody pays nothing", async () => {
  const resumed = `
from langgraph_interrupt import Command, built
graph, thread = built(), {"configurable": {"thread_id": "t"}}
graph.invoke({"amount": 1.0, "to": "carol"}, thread)
graph.invoke(Command(resume={"amount": 1.0, "to": "carol"}), thread)`
  const folder = fileURLToPath(new URL("../../integrations/agno/examples", import.meta.url))
  const env = { ...terminalEnv, PYTHONPATH: `${gatePackage}:${folder}`, PYTHONDONTWRITEBYTECODE: "1" }

  const { code, output } = await run([pythonWith(version, process.env), "-c", resumed], { env })

  expect(output).toContain("countersign refused: nobody approved this payment")
  expect(code).toBe(1)
})
