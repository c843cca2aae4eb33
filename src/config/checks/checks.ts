// Checks that need two keys at once; each names the key that should change.
import { countHumans } from "../../domain/human.ts"
import { riskOf } from "../parts/credential.ts"
import { checkRead } from "../parts/http.ts"
import { checkIdentities, identitiesOf } from "../parts/identities.ts"
import { checkResolving, type KeyPlaces } from "../parts/resolving.ts"
import { checkTiming } from "../parts/timing.ts"
import { checkCaFile, checkProxies } from "../parts/way-out.ts"
import type { Environment } from "../reading/environment.ts"
import { VARIABLES, variable } from "../reading/environment.ts"
import type { Problem } from "../reading/problems.ts"
import { type Origin, problemAt } from "../reading/wording.ts"
import type { RuleSettings } from "../schema/rule-schema.ts"
import type { Settings } from "../schema/schema.ts"
import { checkResume } from "./resume-checks.ts"
import { checkSharedChannels } from "./shared-channels.ts"
import { checkSlack, type Report } from "./slack-checks.ts"

/** Everything a check looks at. */
export interface Checked {
  readonly settings: Settings
  readonly env: Environment
  readonly origin: Origin
  /** Where key files lie. */
  readonly places: KeyPlaces
}

/** What is wrong although each key by itself is right. */
export function crossCheck(checked: Checked): readonly Problem[] {
  const report: Report = (path, what) => problemAt(path, what, checked.origin)
  const { settings } = checked
  return [
    ...twice(settings.instances.map(({ name }) => name)).map((index) =>
      report(["instances", index, "name"], "is used twice"),
    ),
    ...twice(settings.rules.map(({ name }) => name)).map((index) => report(["rules", index, "name"], "is used twice")),
    ...checkIdentities(settings.identities, report),
    ...settings.rules.flatMap((rule, index) => checkRule(rule, index, settings, report)),
    ...checkSharedChannels(settings.rules, report),
    ...settings.instances.flatMap((instance, index) => checkCredential(instance, index, report)),
    ...checkResolving(settings, checked.places, report),
    ...settings.instances.flatMap((instance, index) => checkResume(instance, index, report)),
    ...checkSlack(settings.slack, report),
    ...checkWays(checked, report),
    ...checkRead(settings.http, report),
    ...checkTraces(checked),
    ...checkKey(checked),
    ...checkReceiptKey(checked, report),
  ]
}

function checkWays({ settings, env, places }: Checked, report: Report): readonly Problem[] {
  const { instances, slack } = settings
  return [
    ...checkProxies([...instances.map(({ url }) => url), slack.api_url ?? "https://slack.com"], env),
    ...instances.flatMap(({ ca_file }, index) =>
      checkCaFile(ca_file, places, (what) => report(["instances", index, "ca_file"], what)),
    ),
    ...checkCaFile(slack.ca_file, places, (what) => report(["slack", "ca_file"], what)),
  ]
}

/** One credential never resolves and runs, unless the operator names the risk. */
function checkCredential(instance: Settings["instances"][number], index: number, report: Report): readonly Problem[] {
  if (instance.accept_run_scope === true) return []
  return (["token", "resolve_token"] as const).flatMap((key) => {
    const risk = riskOf(instance[key] ?? "")
    if (risk === null) return []
    return [report(["instances", index, key], `${risk}. Use one without, or say accept_run_scope: true`)]
  })
}

/** The positions of values that stood in the list before. */
function twice(values: readonly string[]): readonly number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []))
}

function checkRule(rule: RuleSettings, index: number, settings: Settings, report: Report): readonly Problem[] {
  const at = (key: string) => ["rules", index, key]
  const problems: Problem[] = []
  const listed = rule.approvers.every((approver) => /^[UW][A-Z0-9]+$/.test(approver))
  const ids = rule.approvers.map((user) => ({ user }))
  const people = countHumans(ids, identitiesOf(settings.identities))
  if (listed && people < (rule.quorum ?? 1)) {
    problems.push(report(at("quorum"), `asks for ${rule.quorum} people, but approvers lists ${people}`))
  }
  if ((rule.forbid_self_approval ?? true) && rule.unknown_requester === undefined) {
    problems.push(
      report(
        at("unknown_requester"),
        "is missing: say who may approve when nobody knows who asked (refuse, two or allow)",
      ),
    )
  }
  const known = settings.instances.map(({ name }) => name)
  for (const name of rule.match?.instance ?? []) {
    if (!known.includes(name)) {
      problems.push(
        report(
          ["rules", index, "match", "instance"],
          `names an instance that is not listed; listed are ${known.join(", ")}`,
        ),
      )
    }
  }
  return [...problems, ...checkTiming(rule, (path, what) => report(["rules", index, ...path], what))]
}

/** Replicas that share a Redis without sharing a file can share an Ed25519 key, which follows from COUNTERSIGN_KEY, but no ES256 key. */
function checkReceiptKey({ settings, env }: Checked, report: Report): readonly Problem[] {
  const { algorithm, key_file } = settings.receipts ?? {}
  const given = variable(env, "COUNTERSIGN_RECEIPT_KEY") !== undefined || key_file !== undefined
  if (algorithm !== "ES256" || given || variable(env, "COUNTERSIGN_KEY") === undefined) return []
  return [report(["receipts", "algorithm"], "needs a key of its own: set COUNTERSIGN_RECEIPT_KEY or receipts.key_file")]
}

/** A collector's address that is none would lose every trace in silence. */
function checkTraces({ env }: Checked): readonly Problem[] {
  const name = "OTEL_EXPORTER_OTLP_ENDPOINT"
  const address = variable(env, name)
  if (address === undefined || /^https?:$/.test(URL.parse(address)?.protocol ?? "")) return []
  const example = `${name}=${VARIABLES[name]}`
  return [{ place: { kind: "env", name }, what: "must be an http or https address", example }]
}

/** R14: with a Redis that others may reach, the key comes from outside; and it is long enough. */
function checkKey({ settings, env }: Checked): readonly Problem[] {
  const name = "COUNTERSIGN_KEY"
  const problem = (what: string): Problem => ({
    place: { kind: "env", name },
    what,
    example: `${name}=${VARIABLES[name]}`,
  })
  const key = variable(env, name)
  if (key === undefined)
    return settings.redis_url === undefined ? [] : [problem("is not set, and a Redis given by address needs it")]
  return Buffer.byteLength(key) < 32 ? [problem("is shorter than 32 bytes")] : []
}
