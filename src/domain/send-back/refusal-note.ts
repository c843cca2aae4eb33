// What a model reads of a call that was sent back. All that people wrote stands in one JSON object, so that none of it
// can pass for ours.
import type { ProposedCall } from "./counterproposal.ts"

/** A call that was sent back, and what the rejection says. */
export interface SentBack {
  readonly proposed: ProposedCall
  /** The reason of the rejection, or null. */
  readonly note: string | null
  /** False if nobody would be asked about a second call of the run (`docs/platform-facts.md` 5.5). */
  readonly mayAskAgain: boolean
}

/** The sentence for the model of the agent that made the call. */
export function refusalNote({ proposed, note, mayAskAgain }: SentBack): string {
  const { choice, args, tool } = proposed
  const said = note === null ? {} : { note }
  if (choice === "not-at-all") return sentences(notApproved, jsonOf(said), "Do not call it again.")
  const call = isPlainName(tool) ? `call ${tool}` : "call it"
  if (choice === "as-is") {
    const why = "Nobody objected to this call, but it was decided with others"
    return mayAskAgain
      ? sentences(`${why}: ${call} again alone.`, jsonOf(said))
      : sentences(`${why}.`, jsonOf(said), endRun)
  }
  const proposal = jsonOf({ proposed: args, ...said })
  if (!mayAskAgain) return sentences(notApproved, proposal, endRun)
  const agreed = `If you agree, ${call} again with these arguments and all others as before; people are asked anew.`
  return sentences(notApproved, proposal, agreed, "If not, say why.")
}

const notApproved = "A person did not approve this call."

/** Where a second call of the run would ask nobody. */
const endRun =
  "Do not call it again in this run, where nobody would be asked. Tell whoever asked what was proposed, and end."

function sentences(...all: readonly string[]): string {
  return all.filter((one) => one !== "").join(" ")
}

function jsonOf(said: object): string {
  return Object.keys(said).length === 0 ? "" : JSON.stringify(said)
}

/** A name that cannot read like words of ours. */
function isPlainName(tool: string | null): tool is string {
  return tool !== null && /^[\w.-]{1,64}$/.test(tool)
}
