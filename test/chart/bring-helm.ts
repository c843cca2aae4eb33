// Finds or brings helm before the chart is rendered.
import { findHelm } from "../../src/setup/helm.mjs"

/** Sets `HELM` for all workers. */
export async function setup(): Promise<void> {
  const log = (line: string) => void process.stderr.write(`countersign: ${line}\n`)
  process.env["HELM"] = await findHelm({ env: process.env, log })
}
