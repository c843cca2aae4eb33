// Shared configs in the keys of countersign.yaml: what a file has to say for the same revision (R16).
import { isJsonArray, isJsonObject, type Json, type JsonObject, tryParseJson } from "../../domain/content/json.ts"
import type { Identity } from "../../domain/people/human.ts"
import type { SharedConfig, SharedInstance, SharedResolving, StopRoles } from "../../domain/policy/shared-config.ts"
import { approverAsText, type Rule, ruleHash } from "../../domain/rule/rule.ts"
import type { RulesChange } from "../../domain/rule/rules-change.ts"
import { withoutDefaults } from "../schema/keys.ts"
import { schema } from "../schema/schema.ts"

/**
 * Two configs by the keys of the file, without what equals a default. They differ only in what their revisions cover:
 * other words for the same rule make no difference, nor does a class that no rule looks at.
 */
export function comparableForms(before: SharedConfig, after: SharedConfig): readonly [JsonObject, JsonObject] {
  const used = new Set([...before.rules, ...after.rules].flatMap(classNames))
  const old = rulesByName(before)
  const wordsOf = (rule: Rule, own: JsonObject) => {
    const same = old.get(rule.name)
    return same !== undefined && ruleHash(same.rule) === ruleHash(rule) ? same.words : own
  }
  const fresh = [...rulesByName(after).values()].map(({ rule, words }) => wordsOf(rule, words))
  return [
    fileForm(before, { rules: [...old.values()].map(({ words }) => words), used }),
    fileForm(after, { rules: fresh, used }),
  ]
}

/** The names of the classes that a rule looks at, in the order in which it has them. */
export function classNames({ classes = [] }: Rule): readonly string[] {
  return classes.map(({ name }) => name)
}

/** The maps in a list. */
export function membersOf(list: Json | undefined): readonly JsonObject[] {
  return isJsonArray(list) ? list.filter(isJsonObject) : []
}

/** The rules by name, each with what the file says of it. */
function rulesByName({ rules, written }: SharedConfig) {
  const said = membersOf(writtenPart(written, "rules"))
  return new Map(rules.map((rule, index) => [rule.name, { rule, words: said[index] ?? {} }]))
}

function writtenPart(written: unknown, part: "rules" | "classes"): Json | undefined {
  return isJsonObject(written) ? written[part] : undefined
}

function fileForm(
  { resolvedBy, slack, instances, identities, written, stop, rulesChange, hold = [] }: SharedConfig,
  { rules, used }: { readonly rules: readonly JsonObject[]; readonly used: ReadonlySet<string> },
): JsonObject {
  const classes = membersOf(writtenPart(written, "classes"))
  const form = {
    resolved_by: resolvedBy,
    instances: instances.map(instanceForm),
    slack: { api_url: slack.apiUrl, sandbox: slack.sandbox },
    identities: identityForms(identities),
    classes: classes.filter(({ name }) => typeof name === "string" && used.has(name)),
    stop: stop === undefined ? undefined : stopForm(stop),
    rules_change: rulesChange && rulesChangeForm(rulesChange),
    hold: hold.map(({ kind, value }) => ({ [kind]: value })),
    rules,
  }
  // Through JSON, in which a key without a value is no key.
  const said = tryParseJson(JSON.stringify(withoutDefaults(schema, form)))
  return isJsonObject(said) ? said : {}
}

function instanceForm(instance: SharedInstance) {
  return {
    name: instance.name,
    url: instance.url,
    ...resolvingForm(instance.resolving),
    resume: instance.resume,
    resume_url: instance.resumeUrl,
    reject_user_input: instance.rejectUserInput,
    beside_agno_slack: instance.besideAgnoSlack,
    receipt_life: instance.receiptLifeMs,
  }
}

function stopForm({ by, liftBy, routes }: StopRoles) {
  const lists = { by: by.map(approverAsText), lift_by: liftBy.map(approverAsText), routes: routes.map(({ id }) => id) }
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
}

/** How an instance resolves. Of a credential nothing is known but that there is one. */
function resolvingForm(resolving: SharedResolving) {
  switch (resolving.kind) {
    case "same":
      return {}
    case "token":
      return { resolve_token: "set" }
    case "delegated": {
      const { algorithm, kid, audience, issuer } = resolving
      const given = Object.entries({ kid, audience, issuer }).filter(([, value]) => value !== null)
      return { delegated: { algorithm, ...Object.fromEntries(given) } }
    }
  }
}

function rulesChangeForm({ approvers, quorum, route, expireAfterMs }: RulesChange) {
  return { approvers: approvers.map(approverAsText), quorum, route: route.id, expire_after: expireAfterMs }
}

/** Ids that stand beside each other under one subject are one entry, as in a file. */
function identityForms(identities: readonly Identity[]) {
  const forms: { readonly subject: string; readonly slack: string[] }[] = []
  for (const { subject, team, user } of identities) {
    const last = forms.at(-1)
    if (last?.subject === subject) last.slack.push(`${team}:${user}`)
    else forms.push({ subject, slack: [`${team}:${user}`] })
  }
  return forms
}
