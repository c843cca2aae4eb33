// countersign activate: proposes this config, where the active one has rules_change; or activates it without approval,
// a day later.
import { userInfo } from "node:os"
import { proposeConfig } from "../../bot/propose.ts"
import { sharedOf } from "../../config.ts"
import type { Proposal } from "../../domain/rule/proposal.ts"
import { maxContent } from "../../domain/rule/proposal.ts"
import { approverAsText } from "../../domain/rule/rule.ts"
import type { StoredConfig } from "../../store/config/config-record.ts"
import { type Watched, withWatchedStore } from "../installation/watched-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"

/** Proposes the config, also one that was rejected or expired before. Throws `CommandError` if it cannot. */
export async function activate(
  terminal: Terminal,
  { withoutApproval }: { readonly withoutApproval: boolean },
): Promise<void> {
  const act = withoutApproval ? activateUnapproved : propose
  await withWatchedStore(terminal, (watched) => act(terminal, watched), { need: "all" })
}

async function propose(terminal: Terminal, { context, store, keep }: Watched): Promise<void> {
  const done = await proposeConfig(context, store, true)
  const active = await store.config.proposals.active()
  switch (done.kind) {
    case "not-needed":
    case "refused":
      return terminal.out(notNeeded(active))
    case "too-large":
      throw new CommandError(
        `the change is larger than what people can read (${maxContent.bytes / 1_000} kB): make it in smaller steps`,
      )
    case "waiting":
      return terminal.out(`Proposed already: ${proposalLine(done.proposal)}`)
    case "proposed":
      terminal.out(`Proposed: ${proposalLine(done.proposal)}`)
      if (done.replaced !== null)
        terminal.out(`It takes the place of ${proposalLine(done.replaced)}: votes on that are void.`)
      terminal.out(askedLine(active))
      return keep()
  }
}

async function activateUnapproved(terminal: Terminal, { context, store, keep }: Watched): Promise<void> {
  const { config, clock } = context
  const order = { shared: sharedOf(config), by: userInfo().username, at: clock() }
  const done = await store.config.proposals.activateUnapproved(order)
  switch (done.kind) {
    case "not-needed":
      return terminal.out(notNeeded(await store.config.proposals.active()))
    case "not-proposed":
      throw new CommandError(
        "this config is not proposed now, or was rejected: run countersign activate, and wait a day for approval",
      )
    case "early":
      throw new CommandError(
        `it may become active without approval from ${new Date(done.until).toISOString()} on, a day after its proposal`,
      )
    case "activated":
      terminal.out("Active without approval. An alarm stands until a later change of the rules was approved.")
      return keep()
  }
}

function notNeeded({ proposals }: StoredConfig): string {
  if (proposals.guarded) return "this config is the active one"
  return "the active config has no rules_change, so nobody has to approve: countersign run makes this config active"
}

function proposalLine({ id, from, to, expiresAt }: Proposal): string {
  const [old, fresh] = [from, to].map((revision) => revision.slice(0, 12))
  return `${id}, revision ${fresh} in place of ${old}, until ${new Date(expiresAt).toISOString()}`
}

function askedLine({ shared }: StoredConfig): string {
  const { approvers = [], quorum = 0, route } = shared?.rulesChange ?? {}
  return `${quorum} of ${approvers.map(approverAsText).join(", ")} are asked in ${route?.id}.`
}
