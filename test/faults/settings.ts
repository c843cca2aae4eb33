// The bot's config in a seed.
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { Schedule } from "./schedule.ts"
import { changeLines, instanceKeys, ruleLines, slackKeys, type Terms } from "./terms.ts"

/** What a config is made of. */
export interface SettingsOptions {
  readonly installation: string
  readonly folder: string
  readonly platformUrl: string
  readonly channels: readonly string[]
  readonly schedule: Schedule
  readonly revision: number
}

/**
 * Who approves under a revision, users alone: in the second one, where people approve other rules, Rita does, too.
 */
export function approversUnder({ overseen }: Terms, revision: number): readonly string[] {
  const own = [sandboxCast.alice, sandboxCast.bob]
  return overseen && revision === 2 ? [...own, sandboxCast.rita] : own
}

/** There are so many revisions. */
export const lastRevision = 3

function approversWords(terms: Terms, revision: number): readonly string[] {
  return [sandboxCast.approvers, ...approversUnder(terms, revision).slice(2)]
}

const risks = ["low", "high", "medium"] as const

/** The text of the config. A later revision only asks for more: it has the same rule with another word for its risk. */
export function settingsText(options: SettingsOptions): string {
  const { installation, folder, platformUrl, channels, schedule, revision } = options
  const { mode, quorum, terms } = schedule
  const ruleOf = (name: string, own: readonly string[]) => `
  - name: ${name}
    routes: [${channels.join(", ")}]
    approvers: [${approversWords(terms, revision).join(", ")}]
    quorum: ${quorum}
    risk: ${risks[revision - 1] ?? risks[0]}
    unknown_requester: allow
    require_reason: never
${[...own, ...ruleLines(terms)].map((line) => `    ${line}\n`).join("")}`
  const lasting = ["match: { tool: again_* }", "after_rejection: { same_call: 10m }"]
  const rules = [...(terms.lasting ? [ruleOf("lasting", lasting)] : []), ruleOf("everything", [])]
  return `
installation: ${installation}
data_folder: ${folder}
instances:
  - { name: main, url: "${platformUrl}", token: "\${PLATFORM_TOKEN}", poll_every: 1s, timeout: 4s${instanceKeys(terms)} }
slack: { mode: ${mode}, sandbox: true, ${slackKeys(terms)} }
http: { port: 0, host: 127.0.0.1 }
${changeLines(terms)
  .map((line) => `${line}\n`)
  .join("")}rules:${rules.join("")}`
}
