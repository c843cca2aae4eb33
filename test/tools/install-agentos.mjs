// Installs the versions of AgentOS that `npm run test:agentos` runs against; says a line for each only when it has to.
import { fileURLToPath } from "node:url"
import { installAgentOs } from "./agentos.mjs"

const requirements = fileURLToPath(new URL("../agentos/testbed/requirements.txt", import.meta.url))
const log = (/** @type {string} */ line) => void process.stderr.write(`countersign: ${line}\n`)

try {
  await installAgentOs({ env: process.env, requirements, log })
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
