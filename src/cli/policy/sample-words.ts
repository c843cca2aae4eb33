// A made-up call, in words and as JSON for programs.
import type { JsonObject } from "../../domain/content/json.ts"
import { recordOf, type Sample } from "../../domain/trying/sample.ts"

/** One line: the tool, what else is known of the call, its arguments, who asked and when. Each character is visible. */
export function sampleWords(sample: Sample): string {
  const { names, args, circumstances } = sample
  const { instance, source, agent, team, workflow, pause, tool } = names
  const told = [
    ["agent", agent],
    ["team", team],
    ["workflow", workflow],
    ["pause", pause === "confirmation" ? null : (pause ?? "not told")],
    ["source", source === "agent" ? null : source],
    ["instance", instance === "default" ? null : instance],
  ].flatMap(([word, value]) => (value === null || value === undefined ? [] : [`${word} ${value}`]))
  const { requester, at } = circumstances
  return visible(
    [
      tool === null ? "a tool that is not told" : `tool ${tool === "" ? '""' : tool}`,
      ...told,
      `args ${JSON.stringify(args, shortened)}`,
      ...(requester === null ? [] : [requesterWords(requester)]),
      ...(at === null ? [] : [`at ${new Date(at).toISOString()}`]),
    ].join(", "),
  )
}

const maxItems = 3

/** A long list of equal items as its first item, and how many more there are. */
function shortened(_name: string, value: unknown): unknown {
  if (!Array.isArray(value) || value.length <= maxItems || value.some((item) => item !== value[0])) return value
  return [value[0], `and ${value.length - 1} more`]
}

function requesterWords({ known, guest, groups }: NonNullable<Sample["circumstances"]["requester"]>): string {
  const guests = { true: "a guest", false: "no guest", null: "perhaps a guest" }[`${guest}`]
  const member = groups === null ? "in groups that nobody knows" : groups.length === 0 ? "" : `in ${groups.join(", ")}`
  return `asked by somebody ${[known ? "known" : "unknown", guests, member].filter(Boolean).join(", ")}`
}

/** The record that `policy explain` takes; and who asked and when, if that matters. */
export function sampleAsJson(sample: Sample): JsonObject {
  const { requester, at } = sample.circumstances
  const told = requester === null ? null : { ...requester, groups: requester.groups && [...requester.groups] }
  return {
    approval: recordOf(sample),
    ...(told === null ? {} : { requester: told }),
    ...(at === null ? {} : { at: new Date(at).toISOString() }),
  }
}

/** The text with a number for each character that is not plain ASCII, as JSON writes it. */
function visible(text: string): string {
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
