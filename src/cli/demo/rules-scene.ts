// The try of a change of the rules: it proposes another file, as `countersign activate` does, and people approve it.
import { proposeConfig } from "../../bot/propose.ts"
import type { Config } from "../../config.ts"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import { proposalTool } from "../../store/config/proposal-platform.ts"
import type { Store } from "../../store/store.ts"
import type { DemoRow } from "./operator.ts"
import type { Scene } from "./scenes.ts"

const { approvals, bob } = sandboxCast

/** The try. It starts no run: what waits is the proposal. */
export const rulesScene: Scene = {
  id: "rules",
  label: "Other rules",
  about: "Somebody deploys other rules, and two people have to approve them",
  was: "rules that count only since two people approved them",
  channel: approvals,
  hint:
    "Somebody proposed another file, by countersign activate. The card shows every key that changes, and what is " +
    "looser by that. Press Approve, then Be Bob.",
  runs: () => [],
  proposes: true,
  next: { label: "Be Bob", person: bob, hint: "Approve: with your vote the other rules count at once." },
}

/** What the try uses: the installation's store, and the config that says how many people approve a gift. */
interface ProposerOptions {
  readonly store: Pick<Store, "config">
  readonly configWith: (gifts: number) => Config
  /** Epoch ms. */
  readonly clock: () => number
}

/** Proposes other rules, and reads how the proposal stands, as a record of the platform. */
export interface Proposer {
  readonly propose: () => Promise<DemoRow>
  /** Null for an id that it did not propose. */
  readonly read: (id: string) => Promise<DemoRow | null>
}

/** Makes the proposer. It proposes the other number of approvals of a gift than the one that counts now. */
export function createProposer({ store, configWith, clock }: ProposerOptions): Proposer {
  const { proposals } = store.config
  const made = new Set<string>()
  return {
    propose: async () => {
      const { shared } = await proposals.active()
      const now = shared?.rules.find(({ name }) => name === "gifts")?.quorum
      const done = await proposeConfig({ config: configWith(now === 2 ? 1 : 2), clock }, store, true)
      if (done.kind !== "proposed" && done.kind !== "waiting") throw new Error(`nothing was proposed: ${done.kind}`)
      made.add(done.proposal.id)
      return rowOf(done.proposal.id, "pending")
    },
    read: async (id) => {
      const found = made.has(id) ? await proposals.read(id) : null
      return found === null ? null : rowOf(id, found.proposal.end?.how ?? "pending")
    },
  }
}

function rowOf(id: string, status: string): DemoRow {
  const none = { agent_id: null, tool_args: null, resolved_by: null, run_status: null }
  return { id, run_id: id, session_id: id, tool_name: proposalTool, status, ...none }
}
