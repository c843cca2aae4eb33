// The bot's config in a seed.
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Schedule } from "./schedule.ts"
import { instanceKeys, ruleLines, slackKeys } from "./terms.ts"

/** What a config is made of. */
export interface SettingsOptions {
  readonly installation: string
  readonly folder: string
  readonly platformUrl: string
  readonly channels: readonly string[]
  readonly schedule: Schedule
  readonly revision: number
}

/** The text of the config. A later revision only asks for more: it has the same rule with another word for its risk. */
export function settingsText(options: SettingsOptions): string {
  const { installation, folder, platformUrl, channels, schedule, revision } = options
  const { mode, quorum, terms } = schedule
  return `
installation: ${installation}
data_folder: ${folder}
instances:
  - { name: main, url: "${platformUrl}", token: "\${PLATFORM_TOKEN}", poll_every: 1s, timeout: 4s${instanceKeys(terms)} }
slack: { mode: ${mode}, sandbox: true, ${slackKeys(terms)} }
http: { port: 0, host: 127.0.0.1 }
rules:
  - name: everything
    routes: [${channels.join(", ")}]
    approvers: [${sandboxCast.approvers}]
    quorum: ${quorum}
    risk: ${revision === 1 ? "low" : "high"}
    unknown_requester: allow
    require_reason: never
${ruleLines(terms)
  .map((line) => `    ${line}\n`)
  .join("")}`
}
