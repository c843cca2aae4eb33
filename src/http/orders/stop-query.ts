// Reads a stop from the query of `POST /stops`: `agent=billing-agent&reason=runaway refunds&for=2h`.
import {
  flawOfReason,
  maxReason,
  maxValue,
  readStop,
  type StopRead,
  type TypedStop,
} from "../../domain/order/read-stop.ts"
import { stopWords } from "../../domain/order/stop.ts"
import { type HttpReply, refuseField } from "../reply.ts"

/** What may stand in the query; the OpenAPI document says the same. */
export const stopFields: Readonly<Record<string, string>> = {
  everything: "`true` stops everything; then no other word may say what.",
  ...Object.fromEntries(
    stopWords.map((word) => [
      word,
      `Stops calls of this ${word}; all words must hold for one call. May be repeated: one counts.`,
    ]),
  ),
  for: "For how long: a number with m, h or d, such as `2h`, at most `180d`. Without it: until somebody ends it.",
  reason: "Why, in words that everybody reads who may not approve meanwhile.",
}

/** The stop that a query asks for, or the refusal, which says what to do. */
export type AskedStop =
  | { readonly ok: true; readonly stop: TypedStop }
  | { readonly ok: false; readonly reply: HttpReply }

/** Stands in the place of the reason: the reason of a query is no word of it, whatever it begins with. */
const somewhy = "-"

/** Reads the stop that a query asks for. */
export function stopIn(query: URLSearchParams): AskedStop {
  const words: string[] = []
  for (const [name, value] of query) {
    const flaw = flawOf(name, value, query)
    if (flaw !== null) return bad(name, flaw, value)
    if (name === "everything") words.push(name)
    else if (name !== "reason") words.push(`${name}:${value}`)
  }
  const reason = query.get("reason") ?? ""
  const read = readStop([...words, somewhy])
  if (read.kind !== "stop") return badStop(read, query)
  if (flawOfReason(reason) !== null) return badReason(query)
  return { ok: true, stop: { ...read.stop, reason } }
}

/** Why a field makes no sense by itself; null if it does. */
function flawOf(name: string, value: string, query: URLSearchParams): string | null {
  if (stopFields[name] === undefined) return `there is no such word: write ${Object.keys(stopFields).join(", ")}`
  const once = name === "reason" || name === "for" || name === "everything"
  if (once && query.getAll(name).length > 1) return "give it once"
  if (name === "everything" && value !== "true") return "write everything=true, or name what to stop"
  const most = name === "reason" ? maxReason : maxValue
  return value.length > most ? `must be at most ${most} characters` : null
}

function badStop(read: Exclude<StopRead, { kind: "stop" }>, query: URLSearchParams): AskedStop {
  switch (read.kind) {
    case "no-value": {
      const [name = ""] = read.word.split(":")
      return bad(name, "names nothing: write a name, or leave the word out", query.get(name))
    }
    case "bad-time":
      return bad("for", "must be a number with m, h or d, such as 2h, at most 180d", query.get("for"))
    case "not-alone":
      return bad("everything", "leaves nothing over: give no other word beside it", query.get("everything"))
    case "long-value":
      return bad(read.word.split(":")[0] ?? "", `must be at most ${maxValue} characters`, null)
    case "two-times":
      return bad("for", "give it once", query.get("for"))
    case "no-reason":
    case "long-reason":
      return badReason(query)
    case "unknown-word":
    case "no-words":
      return bad("agent", `say what to stop, in the query: everything=true, or one of ${stopWords.join(", ")}`, null)
  }
}

function badReason(query: URLSearchParams): AskedStop {
  return bad("reason", "say why: everybody who may not approve then reads it", query.get("reason"))
}

function bad(name: string, msg: string, input: string | null): AskedStop {
  return { ok: false, reply: refuseField(name, `${msg}. Nothing is stopped`, input) }
}
