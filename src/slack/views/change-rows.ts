// What changed in an approval, its old and new parts side by side.
import type { KnownBlock, SectionBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import { sentBytes } from "../../blockkit/totals.ts"
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Approval } from "../../domain/content/approval.ts"
import { changedParts, partsOf } from "../../domain/content/changes.ts"
import type { Json } from "../../domain/content/json.ts"
import { maskApproval } from "../../domain/text/mask.ts"
import type { Change } from "../../flow/ports/reply.ts"
import { fittingCount } from "../lines/fit-lines.ts"
import { rich, say, stack } from "../lines/spans.ts"
import { createTextFitter } from "../lines/text-fitter.ts"
import { valueInLines } from "../lines/value-lines.ts"
import { changeLines } from "../text/case/case-facts.ts"
import { changedPart, changeWords, differencesLeft } from "../text/details-words.ts"
import { alertBlock } from "./alert-block.ts"

const nameUnits = 150

const changeSize = { rows: 5, valueUnits: 300, where: "below" } as const
const movedSize = { rows: 40, valueUnits: 1_600, where: "review" } as const
/** How much all rows take on the wire, in bytes. */
const rowsBytes = 40_000

/** What changed before Details were opened. `model` is masked; `truth` is not, and is masked here unless `revealed`. */
export function changeBlocks(model: CardModel, truth: CardModel, revealed: boolean): readonly KnownBlock[] {
  const lines = changeLines(model)
  const { approval, changed, look } = truth
  const before = changed?.content?.before ?? null
  const said = lines.length === 0 ? [] : [rich(stack(lines))]
  if (before === null || approval === null) return said
  return [...said, ...changeRows(before, approval, { ...changeSize, mask: revealed ? [] : look.mask })]
}

/** Says that the content changed while somebody looked; and what changed, if we know what they saw. */
export function movedBlocks({ before, now: { approval, look } }: Change): readonly KnownBlock[] {
  const known = before !== null && approval !== null
  return [
    alertBlock([say(changeWords.moved)], "warning"),
    ...(known ? changeRows(before, approval, { ...movedSize, mask: look.mask }) : []),
  ]
}

/** How much of a change is shown, and what is masked in it. */
interface RowsOptions {
  readonly mask: readonly string[]
  readonly rows: number
  readonly valueUnits: number
  /** Where people find the differences that have no row. */
  readonly where: "below" | "review"
}

/** A row for each part that differs, masked. */
function changeRows(before: Approval, now: Approval, options: RowsOptions): readonly KnownBlock[] {
  const { mask, where } = options
  const [old, fresh] = [before, now].map((one) => maskApproval(one, mask).approval)
  const all = changedParts(before, now).length
  if (old === undefined || fresh === undefined || all === 0) return [rich([say(changeWords.onlyIds)])]
  const names = changedParts(old, fresh)
  const [was, is] = [partsOf(old), partsOf(fresh)]
  const rows = names.slice(0, options.rows).map((name) => row(name, [was.get(name), is.get(name)], options.valueUnits))
  const shown = rows.slice(0, fittingCount(rows.map(sentBytes), rowsBytes))
  const rest = names.length - shown.length
  return [
    ...shown,
    ...(rest > 0 ? [rich([say(differencesLeft(rest, where))])] : []),
    ...(all > names.length ? [rich([say(changeWords.masked)])] : []),
  ]
}

/** A row: two columns on a wide screen, two lines on a phone. */
function row(
  name: string,
  [old, fresh]: readonly [Json | undefined, Json | undefined],
  valueUnits: number,
): SectionBlock {
  const fitter = createTextFitter()
  const cell = (when: "before" | "now", value: Json | undefined) => {
    const shown = value === undefined ? undefined : fitter.text(valueInLines(value), valueUnits)
    return plain(changedPart(when, fitter.word(name, nameUnits), shown))
  }
  return { type: "section", fields: [cell("before", old), cell("now", fresh)] }
}
