// Places of the list that can't be read: whose they are, as far as filters can tell. Their ids can't be learnt
// (`docs/platform-facts.md`, trap 6).
import { PlatformError, type PlatformErrorCode } from "./errors.ts"

/** Asks for the first rows under one more filter, as in `agent_id=mailer`. Throws `PlatformError`. */
export type AskFiltered = (filter: string) => Promise<unknown>

/** What is remembered of an instance from poll to poll. */
export interface Holes {
  /** An agent that a readable approval named: one that a hole may belong to. */
  meet(agentId: string | null): void
  /** Where `count` holes lie, in words: the agents among whose approvals the list fails. Asked anew only when their number changes. */
  locate(count: number): Promise<string>
}

/** How the list fails where a row of it can't be written, can't be read or is too long. */
const FAILING: ReadonlySet<PlatformErrorCode> = new Set(["server", "not_json", "too_large"])

/** So many agents are asked about at most: each is a call. */
const MOST_ASKED = 50

/** Remembers agents, and asks about them when there are holes. */
export function createHoles(ask: AskFiltered): Holes {
  const agents = new Set<string>()
  let last: { readonly count: number; readonly words: string } = { count: 0, words: "" }
  const among = async (): Promise<string> => {
    const found: string[] = []
    for (const agent of agents) if (await fails(ask, agent)) found.push(agent)
    return found.length === 0 ? "of no agent that is known" : `among those of ${found.join(", ")}`
  }
  return {
    meet: (agentId) => {
      if (agentId !== null && agents.size < MOST_ASKED) agents.add(agentId)
    },
    locate: async (count) => {
      if (count === 0) last = { count, words: "" }
      else if (count !== last.count) last = { count, words: `1 of ${count}, ${await among()}` }
      return last.words
    },
  }
}

async function fails(ask: AskFiltered, agentId: string): Promise<boolean> {
  try {
    await ask(`agent_id=${encodeURIComponent(agentId)}`)
    return false
  } catch (error) {
    if (error instanceof PlatformError && FAILING.has(error.code)) return true
    throw error
  }
}
