// The built-in instance in the bot: its client, how it is polled, and what operators are told of proposals.
import { usualReceiptLifeMs } from "../domain/case/receipt.ts"
import type { Proposals } from "../domain/rule/proposal.ts"
import { builtInInstance } from "../domain/rule/rules-change.ts"
import { notePoll, poll } from "../flow/poll/poll.ts"
import {
  type Alarm,
  type Clock,
  type Conduct,
  isPortError,
  type Platform,
  type Ports,
  type ProposedConfigs,
} from "../flow/ports.ts"
import type { ProposalBook } from "../store/config/proposal-book.ts"
import { createProposalPlatform } from "../store/config/proposal-platform.ts"
import { StoreError } from "../store/errors.ts"

/** The client of the built-in instance, and the configs behind its approvals. */
export interface BuiltIn {
  readonly platform: Platform
  readonly configs: ProposedConfigs
}

/** What holds for the built-in instance. It is polled with each sweep; nothing is continued there. */
export const builtInConduct: Conduct = {
  resume: "off",
  rejectUserInput: "send",
  besideAgnoSlack: false,
  receiptLifeMs: usualReceiptLifeMs,
  resumeMs: 0,
  pollMs: 10_000,
  timeoutMs: 10_000,
}

/** Opens the built-in instance. `clock`: this process' own, epoch ms. */
export function openBuiltIn(book: ProposalBook, clock: Clock): BuiltIn {
  return {
    platform: createProposalPlatform(book, clock),
    configs: {
      read: async (id) => {
        const found = await book.read(id)
        if (found === null) return null
        const { shared, unread } = found.kept.config
        // A replica of the version that proposed it can tell.
        if (shared === null) throw new StoreError("newer-data", `proposal ${id} cannot be read here: ${unread}`)
        return { identities: shared.identities, rulesChange: shared.rulesChange ?? null }
      },
    },
  }
}

/** True while proposals can be made, and as long as one of them may still have a case. */
export function isBuiltInThere({ guarded, list }: Proposals): boolean {
  return guarded || list.length > 0
}

/** Polls the built-in instance, if it is there. A failure waits for the next sweep. */
export async function pollBuiltIn(ports: Ports): Promise<void> {
  if (!ports.platforms.has(builtInInstance)) return
  const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
  try {
    await notePoll(ports, {
      instance: builtInInstance,
      run: (onPage) => poll(ports, builtInInstance, { onPage }),
      wordsOf,
    })
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("proposals-not-read", { error })
  }
}

/** For how long we tell that a proposal was replaced, in ms. */
const toldMs = 3_600_000

/** Raises the alarms about proposals. `alarm` repeats none. */
export function tellProposals({ list, unapproved }: Proposals, alarm: (alarm: Alarm) => void, now: number): void {
  for (const { id, to, host, end } of list)
    if (end?.how === "replaced" && now - end.at < toldMs) {
      const hint = "votes on it are void; two replicas may run with two files"
      alarm({ code: "proposal-replaced", proposal: id, revision: to, host, hint })
    }
  if (unapproved !== null) alarm({ code: "activated-without-approval", ...unapproved, hint: unapprovedHint })
}

const unapprovedHint = "this alarm stands until a later change of the rules was approved"

/** What `/status` says of a config that became active without approval; null if none did. */
export function unapprovedTrouble({ unapproved }: Proposals): string | null {
  if (unapproved === null) return null
  const { revision, at } = unapproved
  return `config ${revision.slice(0, 12)} became active without approval at ${new Date(at).toISOString()}`
}
