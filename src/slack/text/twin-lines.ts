// Twins on a card: that another approval is about the same call, and where its card hangs.
import type { Face } from "../../domain/face.ts"
import { firstLines } from "./fit-lines.ts"
import { code, type Line, link, say } from "./spans.ts"

const SHOWN = 3

/** One line a twin; a settled case does not name it any more. */
export function twinLines({ twins, status }: Face): readonly Line[] {
  if (status.kind === "settled" || status.kind === "replaced") return []
  const lines = twins.map((twin): Line => {
    const whose = twin.of === "team" ? "the team" : "its member"
    const where = twin.link === null ? [say("case "), code(twin.caseId)] : [link(twin.link, `case ${twin.caseId}`)]
    return [
      say(`One call, two approvals: ${whose} waits for it too, in `),
      ...where,
      say(". Each is decided by itself."),
    ]
  })
  return firstLines(lines, SHOWN, { noun: "approval", where: [say("each of them in the list of what waits")] })
}
