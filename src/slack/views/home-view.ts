// The app's Home: what waits for its person first, then what they decided lately. Nothing is decided on it: its buttons open forms.
import type { HomeView, KnownBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import type { Face } from "../../domain/face.ts"
import type { Home, Listing } from "../../flow/inbound.ts"
import { ACTIONS, VIEWS } from "../ids.ts"
import { counted } from "../text/headline.ts"
import { maskFace } from "../text/masking.ts"
import { bold, code, type Line, moment, rich, say } from "../text/spans.ts"
import { caseButton, detailsButton } from "./card.ts"
import { itemLine, pastLine } from "./list-messages.ts"

/** The Home of one person. Its lines are folded, so approving goes through Details (R4) and rejecting through its form. */
export function homeView({ mine, waiting, decided, at }: Home, command: string): HomeView {
  const more = waiting - mine.faces.length
  const rest: Line = [say(`${counted(more, "more approval")} to be seen with `), code(`${command} list`)]
  const blocks: KnownBlock[] = [
    { type: "header", text: plain("Waiting for you") },
    ...(mine.faces.length === 0 ? [rich([say("Nothing waits for you.")])] : shown(mine).flatMap(waitingBlocks)),
    ...(more > 0 ? [rich(rest)] : []),
    { type: "divider" },
    { type: "header", text: plain("Decided by you lately") },
    ...(decided.faces.length === 0
      ? [rich([say("Nothing yet.")])]
      : shown(decided).map((face) => rich(pastLine(face)))),
    rich([bold("As of "), moment(at)]),
  ]
  return { type: "home", callback_id: VIEWS.home, blocks }
}

function waitingBlocks(face: Face, index: number): KnownBlock[] {
  return [
    rich(itemLine(face)),
    {
      type: "actions",
      block_id: `home${index}`,
      elements: [detailsButton(face, "Review", index === 0), caseButton(face, ACTIONS.homeReject, "Reject")],
    },
  ]
}

function shown({ faces }: Listing): readonly Face[] {
  return faces.map((one) => maskFace(one).face)
}
