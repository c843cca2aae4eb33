// What is new about a call, in words of ours: at most three lines on a card, all lines in Details.
import type { CardModel } from "../../../domain/case/card-model.ts"
import { openGatedCalls } from "../../../domain/content/approval.ts"
import { isJsonArray, isJsonObject, isWireNumber, type Json } from "../../../domain/content/json.ts"
import type { News, NewsItem, RejectedBefore } from "../../../domain/fingerprint/news.ts"
import { bold, code, joined, type Line, listed, moment, quote, say, sentence } from "../../lines/spans.ts"
import { counted, createTextFitter } from "../../lines/text-fitter.ts"

const maxLines = 3
/** How many fields one line names. */
const maxNamed = 4
const pathUnits = 60
const valueUnits = 60
const nameUnits = 60
const reasonUnits = 150

/** What nobody ever approved. All other kinds only differ from the last approved call. */
const neverApproved: ReadonlySet<NewsItem["kind"]> = new Set(["new", "more", "less", "field"])

/** At most three lines. The model is masked. If arguments stand in Details alone, fields are only counted. */
export function newsLines(model: CardModel): readonly Line[] {
  const news = newsIn(model)
  if (news === null) return []
  const [never, other] = [true, false].map((is) => news.items.filter(({ kind }) => neverApproved.has(kind) === is))
  return [
    ...aboveItems(model, news),
    ...itemsLine(model, "Never approved so far: ", never ?? [], other?.length === 0 ? news.more : 0),
    ...itemsLine(model, "Unlike the last approved call: ", other ?? [], news.more),
  ].slice(0, maxLines)
}

/** A line for each field. Arguments may stand here. */
export function newsLinesInDetails(model: CardModel): readonly Line[] {
  const news = newsIn(model)
  if (news === null) return []
  const rest: readonly Line[] = news.more > 0 ? [[say(`and ${counted(news.more, "more field")}`)]] : []
  const items = news.items.map((item) => sentence`${itemWords(model, item)}${longWords(item)}`)
  return [...aboveItems(model, news), ...items, ...rest]
}

function newsIn({ status, news }: CardModel): News | null {
  return status.kind === "settled" || status.kind === "replaced" || news === undefined ? null : news
}

function aboveItems(model: CardModel, { unread, rejected }: News): readonly Line[] {
  const why = "Could not compare all of it with what was approved before: what is new may not be marked."
  return [...(unread ? [[bold("⚠ "), say(why)]] : []), ...(rejected ? [rejectedLine(model, rejected)] : [])]
}

/** Says that a call like this one was rejected. Only people who could read by whom and why see that here. */
function rejectedLine({ route }: CardModel, { at, times, routes, by, reason }: RejectedBefore): Line {
  const often = times === 1 ? "One like it was rejected" : `Calls like it were rejected ${times} times in an hour, last`
  const head = sentence`${bold(`⚠ ${often}`)} ${moment(at)}`
  if (!routes.includes(route)) return head
  const fitter = createTextFitter()
  const who: Line = by === null ? [] : sentence` by ${bold(fitter.word(by, nameUnits))}`
  const why: Line = reason === null ? [] : [say(": "), quote(fitter.word(reason, reasonUnits))]
  return [...head, ...who, ...why]
}

function itemsLine(model: CardModel, head: string, items: readonly NewsItem[], more: number): readonly Line[] {
  const count = items.length + more
  if (items.length === 0) return []
  if (model.look.argumentsInDetails === true)
    return [sentence`${bold(head)}${counted(count, "field")}, named in Details`]
  const shown = items.slice(0, maxNamed)
  const isBeyond = ({ kind }: NewsItem) => kind === "more" || kind === "less"
  const words = (item: NewsItem) => sentence`${itemWords(model, item)}${shortWords(item)}`
  const rest = count - shown.length
  const others = rest > 0 ? [say(counted(rest, "more field"))] : []
  const named = [...shown.filter((item) => !isBeyond(item)).map(words), ...others]
  const first = named.length === 0 ? [] : [sentence`${bold(head)}${listed(named)}`]
  return [joined([...first, ...shown.filter(isBeyond).map(words)], "; ")]
}

function itemWords(model: CardModel, item: NewsItem): Line {
  const calls = model.approval === null ? [] : openGatedCalls(model.approval)
  const where = calls.length > 1 ? `call ${item.call + 1}: ` : ""
  const value = valueText(calls[item.call]?.args, item.place)
  const path = code(createTextFitter().word(item.path, pathUnits))
  return value === null
    ? sentence`${where}${path}`
    : sentence`${where}${path} ${code(createTextFitter().word(value, valueUnits))}`
}

function valueText(args: Json | undefined, place: NewsItem["place"]): string | null {
  if (place === undefined) return null
  const value = place.reduce<Json | undefined>(memberOf, args)
  if (typeof value === "string") return value
  if (isWireNumber(value)) return value.rawJSON
  return typeof value === "object" || value === undefined ? null : String(value)
}

function memberOf(value: Json | undefined, name: string | number): Json | undefined {
  if (typeof name === "number") return isJsonArray(value) ? value[name] : undefined
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function shortWords({ kind, perhaps }: NewsItem): string {
  switch (kind) {
    case "new":
      return perhaps ? " (not of late)" : ""
    case "more":
      return " is the highest yet"
    case "less":
      return " is the lowest yet"
    case "field":
      return " (a new field)"
    case "gone":
      return " (missing now)"
    case "changed":
    case "back":
      return ""
  }
}

function longWords({ kind, perhaps }: NewsItem): string {
  switch (kind) {
    case "new":
      return perhaps ? ": not among the values that were approved of late" : ": not approved before"
    case "more":
      return ": the highest yet"
    case "less":
      return ": the lowest yet"
    case "field":
      return ": no approved call had this field"
    case "gone":
      return ": the last approved call had it, this one does not"
    case "changed":
      return ": another value than in the last approved call"
    case "back":
      return ": the last approved call did not have it"
  }
}
