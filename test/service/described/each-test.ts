// Fails each test that got an answer of the embedded service that is not as its interface description says.
import { afterAll, afterEach } from "vitest"
import { takeFaults } from "./faults.ts"

function look(): void {
  const faults = takeFaults()
  if (faults.length > 0) throw new Error(`not as GET /openapi.json says:\n${faults.join("\n")}`)
}

afterEach(look)
afterAll(look)
