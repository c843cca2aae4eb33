// The server's own words about a refusal, short and without secrets.
import { isJsonArray, isJsonObject, type Json, parseJson } from "../domain/content/json.ts"
import type { Answer } from "./transport.ts"

const LONGEST = 300

/**
 * Where a redirect leads, else `detail` of an error body as one line: the text, or for a 422 `place: message` of each error. Never the
 * `input` that a 422 repeats: it is what people typed. Of a body that is no JSON, its first words without tags. At most 300 characters;
 * the credential that it was asked with is removed.
 */
export function detailOf({ text, leadsTo, token = "" }: Pick<Answer, "text" | "leadsTo" | "token">): string {
  const words = leadsTo === null ? wordsOf(text) : `it leads to ${leadsTo}`
  const bare = token === "" ? words : words.replaceAll(token, "[removed]")
  const line = bare.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function wordsOf(body: string): string {
  const json = tryParse(body)
  if (json === undefined) return body.slice(0, 10_000).replaceAll(/<(style|script)\b[\s\S]*?<\/\1>|<[^>]*>/gi, " ")
  const detail = isJsonObject(json) ? (json["detail"] ?? json["message"] ?? json["error"]) : undefined
  if (typeof detail === "string") return detail
  return isJsonArray(detail) ? detail.map(wordsOfProblem).join("; ") : ""
}

function tryParse(body: string): Json | undefined {
  try {
    return parseJson(body)
  } catch {
    return undefined // no JSON: a proxy's page, say
  }
}

function wordsOfProblem(problem: Json): string {
  if (!isJsonObject(problem)) return ""
  const place = isJsonArray(problem["loc"]) ? problem["loc"].map(String).join(".") : ""
  return `${place}: ${typeof problem["msg"] === "string" ? problem["msg"] : "wrong"}`
}
