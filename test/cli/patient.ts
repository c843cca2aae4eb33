// A patient for the doctor: a config in a folder of its own. It names a sandbox and a platform, and a test can spoil
// each of them.
import { randomBytes } from "node:crypto"
import { onTestFinished } from "vitest"
import { diagnose } from "../../src/cli/doctor/doctor.ts"
import type { Finding } from "../../src/cli/doctor/finding.ts"
import { defaultSeed, sandboxCast, type WorkspaceSeed } from "../../src/sandbox/workspace/seed.ts"
import { type Sandbox, startSandbox } from "../../src/sandbox.ts"
import type { RunningService } from "../../src/service.ts"
import { startDescribed } from "../service/described/start-described.ts"
import { aFolder, opened } from "../support/opened.ts"

export { sandboxCast }

/** A rule that everything in the sandbox is well for: three people for a quorum of two. */
export const soundRule = `
  - name: everything
    routes: [${sandboxCast.approvals}]
    approvers: [${sandboxCast.approvers}, ${sandboxCast.rita}]
    unknown_requester: allow`

/** What a test spoils. */
export interface Ailment {
  /** YAML below `rules:`. */
  readonly rules?: string
  readonly mode?: "socket" | "http"
  /** More YAML at the top level. */
  readonly more?: string
  readonly env?: Readonly<Record<string, string>>
  readonly platformUrl?: string
  readonly clock?: () => number
  /** Who and what is in the workspace, if not the usual. */
  readonly seed?: WorkspaceSeed
}

/** A config and the sandbox that it names. */
export interface Patient {
  readonly sandbox: Sandbox
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly yaml: string
  /** What the doctor finds about an area, or about everything. */
  findings(area?: RegExp): Promise<readonly Finding[]>
}

/** Makes a patient in whom only the platform is missing, unless the test names one. */
export async function aPatient(ailment: Ailment = {}): Promise<Patient> {
  const { rules = soundRule, mode = "socket", platformUrl = "http://127.0.0.1:9", clock = Date.now, seed } = ailment
  const random = () => randomBytes(16).toString("hex")
  const sandbox = await opened(startSandbox({ clock: Date.now, random, delivery: { mode }, seed: seed ?? defaultSeed }))
  // The sandbox grants one scope more than the manifest asks for.
  sandbox.scopes.delete("im:read")
  const folder = aFolder("doctor")
  const yaml = `
instances: [{ name: main, url: "${platformUrl}", timeout: 2s }]
slack: { mode: ${mode} }
${ailment.more ?? ""}
rules:${rules}
`
  const env = { ...envOf(sandbox), ...ailment.env }
  const findings = async (area = /./) => {
    const found = await diagnose({ env, readFile: () => yaml, cwd: folder, clock, random: randomBytes })
    return found.filter((finding) => area.test(finding.area))
  }
  return { sandbox, folder, env, yaml, findings }
}

function envOf(sandbox: Sandbox): Record<string, string> {
  return {
    COUNTERSIGN_KEY: randomBytes(32).toString("hex"),
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    PLATFORM_TOKEN: "a-token-of-nobody",
    SLACK_BOT_TOKEN: sandbox.tokens.bot,
    SLACK_APP_TOKEN: sandbox.tokens.app,
    SLACK_SIGNING_SECRET: sandbox.tokens.signingSecret,
    SLACK_API_URL: sandbox.apiUrl,
    SLACK_SANDBOX: "true",
    // Doctors that look at the same time would take one port from each other.
    PORT: "0",
  }
}

/** An embedded service with authorization on, closed when the test ends. */
export async function aService(): Promise<RunningService> {
  const service = await startDescribed({
    database: ":memory:",
    authorization: true,
    clock: Date.now,
    random: randomBytes,
  })
  onTestFinished(() => service.close())
  return service
}

/** The findings that are not well, each as `level: what`. A note tells what may be meant. */
export function troubles(findings: readonly Finding[]): readonly string[] {
  return findings
    .filter(({ level }) => level !== "ok" && level !== "note")
    .map(({ level, what }) => `${level}: ${what}`)
}
