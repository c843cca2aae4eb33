// Installs the tools that `npm run test:openapi` tries the interface description with; says a line only when it has to.
import { fileURLToPath } from "node:url"
import { installOpenApiTools } from "./agentos.mjs"

const requirements = fileURLToPath(new URL("../openapi/requirements.txt", import.meta.url))
const log = (/** @type {string} */ line) => void process.stderr.write(`countersign: ${line}\n`)

try {
  await installOpenApiTools({ env: process.env, requirements, log })
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
