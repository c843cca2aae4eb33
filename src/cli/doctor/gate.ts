// The doctor on the file of a gate at a tool: will the gate take what this installation signs, now and next month?
import { readFileSync } from "node:fs"
import { z } from "zod"
import { tryParseJson } from "../../domain/content/json.ts"
import { type Diagnosis, type Finding, notesOn } from "./finding.ts"

const moment = z.iso.datetime({ offset: true }).nullish()
const pinnedKey = z.looseObject({ kid: z.string(), not_before: moment, not_after: moment })
const gateFile = z.looseObject({
  version: z.literal(1),
  installation: z.string(),
  instance: z.string().nullish(),
  sandbox: z.boolean().default(false),
  keys: z.array(pinnedKey),
  ended_list: z.string().nullish(),
})

type GateFile = z.infer<typeof gateFile>

/** How long before the end of a key we mention it, in ms. */
const soonMs = 14 * 86_400_000

/** What we compare a gate's file with. */
export interface GateCheck {
  readonly installation: string
  readonly instances: readonly string[]
  readonly sandbox: boolean
  /** The id of the key that signs now; null if there is none yet. */
  readonly kid: string | null
  /** The ids of all keys that ever signed; null if we cannot know. */
  readonly signed: readonly string[] | null
  /** Epoch ms. */
  readonly now: number
}

/** Looks at the file at `path`. */
export function lookAtGate(path: string, check: GateCheck): readonly Finding[] {
  const notes = notesOn(`gate ${path}`)
  const file = gateFile.safeParse(tryParseJson(textOrNone(path))).data
  if (file === undefined) {
    const why = "without a file of keys a gate lets no call run"
    return [notes.fail({ what: "it cannot be read as a gate's file", why, todo: remedy })]
  }
  const wrong = [...whoseIs(file, check), ...judgePinnedKey(file, check)].map(({ level, ...said }) =>
    notes[level](said),
  )
  const { length } = file.keys
  const pins = `it pins ${length === 1 ? "1 key" : `${length} keys`}, the one that signs now among them`
  return [...(wrong.length === 0 ? [notes.ok(pins)] : wrong), ...nextIn(file, check).map(notes.note)]
}

const remedy = "write it anew with countersign keys export, and bring it to the gate"

function textOrNone(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

interface Wrong extends Diagnosis {
  readonly level: "warn" | "fail"
}

function whoseIs(file: GateFile, { installation, instances, sandbox }: GateCheck): readonly Wrong[] {
  const { instance } = file
  const unknown = instance != null && !instances.includes(instance)
  const said = [
    file.installation === installation
      ? ""
      : `it is for installation ${file.installation}, and this is ${installation}`,
    file.sandbox === sandbox ? "" : `it is for ${kindOf(file.sandbox)}, and this is ${kindOf(sandbox)}`,
    unknown ? `it is for instance ${instance}, which this config does not name` : "",
  ]
  const why = "a gate refuses what was approved elsewhere than its file says"
  return said.filter((what) => what !== "").map((what) => ({ level: "fail", what, why, todo: remedy }))
}

function kindOf(sandbox: boolean): string {
  return sandbox ? "a sandbox" : "real approvals"
}

function judgePinnedKey({ keys }: GateFile, { kid, now }: GateCheck): readonly Wrong[] {
  if (kid === null) return []
  const key = keys.find((one) => one.kid === kid)
  const why = "a gate refuses each receipt whose key it does not pin for that moment"
  if (key === undefined)
    return [{ level: "fail", what: `it does not pin key ${kid}, which signs now`, why, todo: remedy }]
  const from = key.not_before == null ? null : Date.parse(key.not_before)
  const until = key.not_after == null ? null : Date.parse(key.not_after)
  if ((from !== null && from > now) || (until !== null && until < now))
    return [{ level: "fail", what: `key ${kid}, which signs now, is not in force there`, why, todo: remedy }]
  if (until === null || until - now > soonMs) return []
  const what = `key ${kid}, which signs now, is in force there only until ${key.not_after}`
  return [{ level: "warn", what, why, todo: `rotate the key before, or ${remedy}` }]
}

/** Names the keys that have not signed yet. */
function nextIn({ keys }: GateFile, { kid, signed }: GateCheck): readonly string[] {
  if (signed === null) return []
  const waiting = keys.filter((key) => key.kid !== kid && !signed.includes(key.kid))
  return waiting.map(
    (key) => `it knows key ${key.kid}, which never signed yet: Countersign may sign with it from now on`,
  )
}
