// countersign run --dry-run: polls once, and prints who would be asked, with each card. It writes nothing anywhere.
import { type Config, loadConfig } from "../config.ts"
import { cardModelOf } from "../domain/case/card-model.ts"
import { openCase } from "../domain/case/steps.ts"
import type { Approval } from "../domain/content/approval.ts"
import { noneIsPassed } from "../domain/policy/limit-reading.ts"
import { demandOf, type Policy, policyOf } from "../domain/policy/policy.ts"
import { isPortError, type Listed } from "../flow/ports.ts"
import { createLog } from "../log.ts"
import { createPlatformClient } from "../platform/client.ts"
import type { SlackProbe } from "../slack/probe.ts"
import { cardOf } from "../slack/views/card.ts"
import { askSlack } from "./installation/ask-slack.ts"
import { surroundings } from "./installation/context.ts"
import { peopleOf } from "./policy/policy-people.ts"
import { ruleWords } from "./policy/policy-words.ts"
import type { Terminal } from "./terminal.ts"

/** What a dry run needs: neither key nor Redis, because it remembers nothing. */
interface DryRun {
  readonly config: Config
  readonly policy: Policy
  readonly slack: SlackProbe | { readonly why: string }
  readonly terminal: Terminal
}

/** Prints the card of each pending approval. Exit code 1 if an instance or an approval cannot be read. */
export async function dryRun(terminal: Terminal): Promise<void> {
  const config = loadConfig(surroundings(terminal))
  for (const { what, why, todo } of config.warnings) terminal.err(`note: ${what}; ${why}: ${todo}`)
  const log = createLog({ write: () => {}, clock: Date.now, secrets: config.secrets })
  const slack = await askSlack({ config, clock: Date.now, log })
  if ("why" in slack) terminal.err(`note: Slack was not asked who the approvers are: ${slack.why}`)
  const policy = policyOf(config.rules, config.identities)
  let shown = 0
  for (const instance of config.instances) shown += await pollOnce({ config, policy, slack, terminal }, instance)
  terminal.out(`${shown} pending at ${config.instances.length} instances. Nothing was posted, resolved or remembered.`)
}

/** Prints the cards of one instance. Returns how many it showed. */
async function pollOnce(
  run: DryRun,
  { name, url, token, timeoutMs, way }: Config["instances"][number],
): Promise<number> {
  const platform = createPlatformClient({ name, url, token, timeoutMs, way })
  let shown = 0
  try {
    for await (const { approvals, unreadable } of platform.pending()) {
      for (const { id, why } of unreadable) failed(run, `approval ${id ?? "without an id"} of ${name}: ${why}`)
      for (const listed of approvals) await showDemand(run, listed)
      shown += approvals.length
    }
  } catch (error) {
    if (!isPortError(error)) throw error
    failed(run, `${name}: ${error.message}`)
  } finally {
    await platform.close()
  }
  return shown
}

function failed({ terminal }: DryRun, what: string): void {
  terminal.err(`countersign: ${what}`)
  process.exitCode = 1
}

async function showDemand({ config, policy, slack, terminal }: DryRun, listed: Listed): Promise<void> {
  const approval = listed.read()
  const demand = demandOf(approval, policy.rules, { limits: noneIsPassed(policy.rules) })
  const people = await peopleOf(slack, demand.rules)
  terminal.out(`approval ${approval.id} of ${approval.instance}`)
  for (const rule of demand.rules) for (const line of ruleWords(rule, people.get(rule.name))) terminal.out(`  ${line}`)
  if (!demand.covered) terminal.out("  nobody may decide this: no rule matches every call for certain")
  for (const line of cardText(config, policy, approval).split("\n")) terminal.out(`  | ${line}`)
  terminal.out("")
}

/** The card's words, as screen readers get them. */
function cardText({ installation }: Config, policy: Policy, approval: Approval): string {
  // Redis knows what was approved so far, but we do not ask it.
  const below = { ...policy, limits: noneIsPassed(policy.rules) }
  const { next } = openCase({ installation, approval, policy: below, epoch: "", at: Date.now() })
  const { text } = cardOf(cardModelOf(next, next.cards[0]?.route ?? ""))
  // Slack's own markup, which a terminal cannot show.
  const plain = text.replaceAll(/<!date\^\d+\^[^|>]*\|([^>]*)>/g, "$1")
  return plain.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}
