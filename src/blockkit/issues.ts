// Says what is wrong with a payload as Slack does: a JSON pointer and a short sentence.
import type { z } from "zod"

/** One thing that Slack would refuse: where (`/blocks/0/text/text`) and why. */
export interface BlockError {
  readonly pointer: string
  readonly message: string
}

/** Joins keys and indexes to a JSON pointer (RFC 6901). */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}

/** The errors as Slack puts them into `response_metadata.messages`. */
export function slackMessages(errors: readonly BlockError[]): string[] {
  return errors.map((error) => `[ERROR] ${error.message} [json-pointer:${error.pointer}]`)
}

/** Turns zod's issues into errors; `at` is put before each path. */
export function errorsOf(issues: readonly z.core.$ZodIssue[], at: readonly PropertyKey[] = []): BlockError[] {
  return issues.map((issue) => {
    const path = [...at, ...issue.path]
    if (isUnknownType(issue)) return { pointer: pointerOf(path.slice(0, -1)), message: "unsupported type" }
    return { pointer: pointerOf(path), message: messageOf(issue) }
  })
}

function isUnknownType(issue: z.core.$ZodIssue): boolean {
  return issue.code === "invalid_union" && issue.path.at(-1) === "type"
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "too_big") return tooBig(issue)
  if (issue.code === "too_small") return tooSmall(issue)
  if (issue.code === "unrecognized_keys") return `invalid additional property: ${issue.keys.join(", ")}`
  if (issue.code !== "invalid_type") return issue.message
  return issue.message.endsWith("undefined") ? "missing required field" : `must provide ${issue.expected}`
}

function tooBig(issue: z.core.$ZodIssueTooBig): string {
  if (issue.origin === "string") return `must be less than ${Number(issue.maximum) + 1} characters`
  if (issue.origin === "array") return `no more than ${issue.maximum} items allowed`
  return `must be at most ${issue.maximum}`
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === "string") return `must be more than ${Number(issue.minimum) - 1} characters`
  if (issue.origin === "array") return `no fewer than ${issue.minimum} items allowed`
  return `must be at least ${issue.minimum}`
}
