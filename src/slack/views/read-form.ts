// Reads a submitted form: what was filled in, or what is wrong with each field.
import type { Json, JsonObject } from "../../domain/json.ts"
import type { Verb } from "../../domain/judge.ts"
import type { VoteForm } from "../../flow/inbound.ts"
import { FORM } from "../ids.ts"
import type { Submission } from "../listeners/payloads.ts"
import { readField } from "./form-field.ts"
import { fieldBlockId, MOST_FIELDS } from "./vote-form.ts"

/** What a form said: `filled` is `{values?, result?}`, or null for a vote that needs neither. */
export type ReadForm =
  | { readonly ok: true; readonly filled: JsonObject | null; readonly reason: string | null }
  /** Sentences by block, as Slack shows them. */
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

/** Reads the form of one vote. Nothing is guessed: what does not fit is said beside its field. */
export function readForm(submission: Pick<Submission, "value">, verb: Verb, form: VoteForm): ReadForm {
  const values: Record<string, Json> = {}
  const errors: Record<string, string> = {}
  const { fields, result: tools } = form.inputs
  if (verb === "approve") {
    fields.slice(0, MOST_FIELDS).forEach((field, index) => {
      const blockId = fieldBlockId(index)
      const typed = submission.value(blockId, FORM.value)
      const missing = { ok: false, why: "Please fill this in." } as const
      const read = typed === "" ? missing : readField(field, typed, form)
      if (read.ok) values[field.name] = read.value
      else errors[blockId] = read.why
    })
  }
  const result = submission.value(FORM.result, FORM.value)
  const wantsResult = verb === "approve" && tools.length > 0
  if (wantsResult && result.trim() === "") errors[FORM.result] = "Please paste the result."
  const reason = reasonIn(submission)
  if (form.reason?.required === true && reason === null) errors[FORM.reason] = "Please say why."
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  return { ok: true, filled: filledOf(values, wantsResult ? result : null), reason }
}

function filledOf(values: JsonObject, result: string | null): JsonObject | null {
  const some = Object.keys(values).length > 0
  if (!some && result === null) return null
  return { ...(some ? { values } : {}), ...(result === null ? {} : { result }) }
}

/** The chosen reason, then what was added in own words. */
function reasonIn(submission: Pick<Submission, "value">): string | null {
  const parts = [submission.value(FORM.choice, FORM.value), submission.value(FORM.reason, FORM.value).trim()]
  const said = parts.filter((part) => part !== "").join(": ")
  return said === "" ? null : said
}
