// Whatever makes another revision (R16) is named by its key: what people approve of a config is all that changes.
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { exampleOf, type Key, knownKeys } from "../../src/config/schema/keys.ts"
import { asWritten, type Config, ConfigError, type ConfigNeed, changedKeys, sharedOf } from "../../src/config.ts"
import { configRevisionOf } from "../../src/domain/policy/shared-config.ts"
import { anAuthority } from "../support/certificates.ts"
import { everyKey, keysAround, valuesOf, withOtherValues } from "../support/every-key.ts"
import { FILE_ENV, load } from "./load.ts"

const { env, files: keys } = keysAround()
const there = {
  ...keys,
  "ca.pem": anAuthority().cert,
  "other.pem": keys["signing-key.pem"],
  "platform-token": "a-token",
  "other-runner": "another token that continues runs",
  "other.secret": "one more secret of the sign-in",
  "other-hook": `whsec_${Buffer.alloc(24, "x").toString("base64")}`,
}
const paths = Object.fromEntries(Object.entries(there).map(([name, text]) => [`/srv/keys/${name}`, text]))
const places = {
  FOLDER: "/srv/keys",
  INSTALLATION: "every-key",
  REDIS_ADDRESS: "rediss://127.0.0.1:1",
  PLATFORM_ADDRESS: "https://agents.example.com",
  SLACK_ADDRESS: "http://127.0.0.1:2/api/",
  ANOTHER: "another value that is long enough",
}

/** What hinders a key to change by itself in these files, and what takes its place in one more of each. */
const variants: readonly (readonly [from: string | RegExp, to: string])[] = [
  [/when: .*/, "when: size(call.classes) > 0 && time.hour >= 0"],
  [/token: \$\{READING_TOKEN\}\n +resolve_token: .*/, "token_file: ${FOLDER}/platform-token"],
  [/(- name: rest\n +routes: )\[C0APPROVALS\]/, "$1[C0GENERAL]"],
]
const files = everyKey.map(({ yaml }) => yaml)
const hindered = variants.flatMap(([from, to]) => files.map((yaml) => yaml.replace(from, to)))

/** Keys that never change by themselves. Each has a test below. */
const neverAlone: readonly string[] = ["slack.sandbox"]

/** Loads a file as a start does, or as a comparison does; null where it is refused. */
function loaded(yaml: string, need: ConfigNeed = "all"): Config | null {
  const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, `a value for ${name}`] as const)
  try {
    return load({ env: { ...Object.fromEntries(names), ...env, ...places }, yaml, files: paths, need })
  } catch (error) {
    if (error instanceof ConfigError) return null
    throw error
  }
}

/** Values that the check of one key takes, where neither example nor kind leads to one. */
const others: Readonly<Record<string, readonly unknown[]>> = {
  installation: ["other"],
  redis_url: ["rediss://127.0.0.1:3"],
  data_folder: ["/srv/other"],
  "http.host": ["127.0.0.1"],
  "http.sign_in.client_secret_file": ["/srv/keys/other.secret"],
  "instances.delegated.algorithm": ["HS256"],
  "instances.delegated.key_file": ["/srv/keys/other.pem"],
  "instances.resume_url": ["https://runs.example.com"],
  "instances.resume_token_file": ["/srv/keys/other-runner"],
  "webhooks.secret_file": ["/srv/keys/other-hook"],
  slack: [{ bot_token: "${BOT_TOKEN}", app_token: "${APP_TOKEN}", sandbox: true, api_url: "http://127.0.0.1:5/api" }],
  "rules.when": ["args.amount > 6 && time.hour >= 0"],
}

/** Other values for a key: its examples, and what stands there but a little otherwise. */
function otherValues(yaml: string, path: string, key: Key): readonly unknown[] {
  const examples = [exampleOf(key), key.sample].flatMap((text) =>
    text === undefined || text === "" ? [] : [parse(text)],
  )
  return [...examples, ...valuesOf(yaml, path).flatMap(alittleOtherwise), ...(others[path] ?? []), "${ANOTHER}"]
}

function alittleOtherwise(value: unknown): readonly unknown[] {
  if (typeof value === "number") return [value + 1]
  if (typeof value === "boolean") return [!value]
  if (typeof value === "string") return [`${value}x`, `${value}/x`, `${value}X`, "3h", "other"]
  return Array.isArray(value) && value.length > 1 ? [value.toReversed(), value.slice(1)] : []
}

/** True for the key itself, what stands below it, and the order of the list that it is in. */
function isAbout(name: string, path: string): boolean {
  return name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`)
}

/** The key of a path, without the names of members. */
function keyIn(path: string): string {
  return path.replaceAll(/\[[^\]]*\]/g, "")
}

const [bases, moreBases] = [files, hindered.filter((yaml) => !files.includes(yaml))].map((yamls) =>
  yamls.map((yaml) => {
    const [before, compared] = [loaded(yaml), loaded(yaml, "shared")]
    if (before === null || compared === null) throw new Error("a file with every key is refused")
    return { yaml, before, written: JSON.stringify(before), compared: sharedOf(compared) }
  }),
)

/** Every change of one key that a start takes: whether it makes another revision, and which keys are named. */
function tryKey(path: string, key: Key, on = bases) {
  return (on ?? []).flatMap(({ yaml, before, written, compared }) =>
    withOtherValues(yaml, path, otherValues(yaml, path, key)).flatMap((changed) => {
      const after = loaded(changed)
      if (after === null || JSON.stringify(after) === written) return []
      const other = loaded(changed, "shared")
      if (other === null) throw new Error(`only a comparison refuses this: ${changed}`)
      const revised = configRevisionOf(sharedOf(before)) !== configRevisionOf(sharedOf(after))
      const shared = sharedOf(other)
      return [{ changed, shared, revised, named: changedKeys(compared, shared), back: changedKeys(shared, compared) }]
    }),
  )
}

const known = new Map<string, ReturnType<typeof tryKey>>()

/** The same, tried only once. If nothing is taken in the files themselves, the others count. */
function triedFor(path: string, key: Key) {
  const easy = known.get(path) ?? tryKey(path, key)
  const tried = easy.length > 0 ? easy : tryKey(path, key, moreBases)
  known.set(path, tried)
  return tried
}

test.each([...knownKeys])("R16 %s is named if and only if it makes another revision", (path, key) => {
  const tried = triedFor(path, key)

  expect(tried.length > 0).toBe(!neverAlone.includes(path))
  for (const { changed, revised, named, back } of tried) {
    expect([named.length > 0, back.length > 0], changed).toEqual([revised, revised])
    expect(named.filter(({ before, after }) => before === after)).toEqual([])
    const strange = named.map((one) => keyIn(one.path)).filter((name) => !isAbout(name, path))
    expect(strange).toEqual([])
  }
})

test("R16 two configs that differ in several keys have the same revision if and only if no key is named", () => {
  const all = [...knownKeys].flatMap(([path, key]) => triedFor(path, key).slice(0, 2))
  const pairs = all.slice(1).map(({ shared }, index) => [all[index]?.shared ?? shared, shared] as const)

  const named = pairs.map(([one, other]) => changedKeys(one, other).length > 0)

  expect(named).toEqual(pairs.map(([one, other]) => configRevisionOf(one) !== configRevisionOf(other)))
  expect(new Set(named)).toEqual(new Set([true, false]))
})

/** The changed keys of two files, as `path: before → after`. */
function changes(before: string, after: string, need: ConfigNeed = "shared"): readonly string[] {
  const [old, fresh] = [before, after].map((yaml) => sharedOf(load({ env: need === "all" ? env2 : {}, yaml, need })))
  if (old === undefined || fresh === undefined) throw new Error("there are two files")
  return changedKeys(old, fresh).map((key) => `${key.path}: ${key.before} → ${key.after}`)
}
const env2 = { ...FILE_ENV, PLATFORM_TOKEN: "a-token", RESOLVE_TOKEN: "another-token" }

const least = `
instances: [{ name: main, url: https://agents.example.com }]
slack: { bot_token: "\${SLACK_BOT_TOKEN}", app_token: "\${SLACK_APP_TOKEN}" }
identities: [{ subject: jane, slack: "T0A:U0A" }, { subject: john, slack: "T0A:U0B" }]
classes: [{ name: iban, checksum: iban }, { name: card, checksum: card_number }]
rules:
  - { name: pay, match: { tool: pay }, routes: [C0A], approvers: [U0A], unknown_requester: allow }
  - { name: all, routes: [C0A], approvers: [U0A, jane@corp.example], unknown_requester: allow, expire_after: 90m }
`
const changed = (from: string, to: string) => {
  expect(least).toContain(from)
  return least.replace(from, to)
}

describe("a changed key", () => {
  test("what is left out counts as its default, and a duration is told as a file writes it", () => {
    const after = changed("expire_after: 90m", "expire_after: 24h, quorum: 2, mask: [iban]")

    expect(changes(least, after)).toEqual([
      "rules[all].quorum: 1 → 2",
      "rules[all].mask: [] → [iban]",
      "rules[all].expire_after: 90m → 24h",
    ])
  })

  test("a duration inside a list of maps is told as a file writes it, too", () => {
    const later = "escalate: [{ after: 1h, to: { approvers: [U0B] } }]"

    expect(changes(least, changed("expire_after: 90m", `expire_after: 90m, ${later}`))).toEqual([
      "rules[all].escalate: null → [{after: 1h, to: {approvers: [U0B]}}]",
    ])
  })

  test("a rule that is new is told with each key that it sets, and with its place", () => {
    const rule = "{ name: new, routes: [C0A, { person: U0A }], approvers: [U0B], forbid_self_approval: false }"

    expect(changes(least, changed("  - { name: all", `  - ${rule}\n  - { name: all`))).toEqual([
      "rules[new].name: null → new",
      "rules[new].routes: null → [C0A, {person: U0A}]",
      "rules[new].approvers: null → [U0B]",
      "rules[new].forbid_self_approval: null → false",
      "rules[order]: [pay, all] → [pay, new, all]",
    ])
  })

  test("a rule that is gone is told with each key that it had", () => {
    const gone = "  - { name: pay, match: { tool: pay }, routes: [C0A], approvers: [U0A], unknown_requester: allow }\n"

    expect(changes(least, changed(gone, ""))).toEqual([
      "rules[pay].name: pay → null",
      "rules[pay].match.tool: [pay] → null",
      "rules[pay].routes: [C0A] → null",
      "rules[pay].approvers: [U0A] → null",
      "rules[pay].unknown_requester: allow → null",
    ])
  })

  test("a member that has another name and nothing else is told in one line", () => {
    expect(changes(least, changed("name: pay", '"name": "pay, or not"'))).toEqual([
      "rules[pay].name: pay → pay, or not",
    ])
    expect(changes(least, changed("subject: john", "subject: jack"))).toEqual(["identities[john].subject: john → jack"])
  })

  test("rules and identities in another order are told by that order", () => {
    const rules = least.split("\n  - ")
    const turned = [rules[0], rules[2]?.trim(), `${rules[1]}\n`].join("\n  - ")
    const people = ['{ subject: jane, slack: "T0A:U0A" }', '{ subject: john, slack: "T0A:U0B" }']

    expect(changes(least, turned)).toEqual(["rules[order]: [pay, all] → [all, pay]"])
    expect(changes(least, changed(people.join(", "), people.toReversed().join(", ")))).toEqual([
      "identities[order]: [jane, john] → [john, jane]",
    ])
  })

  test("other words for the same rule are no change, nor is a class that no rule looks at", () => {
    const same = changed("routes: [C0A], approvers: [U0A, jane@", "routes: [{ channel: C0A }], approvers: [U0A, JANE@")
    const unused = changed("checksum: card_number", "checksum: card_number, at_least: 3")

    expect(changes(least, same)).toEqual([])
    expect(changes(least, unused)).toEqual([])
  })

  test("the order of classes is told only where a rule looks at several of them", () => {
    const looking = (rule: string) => changed("match: { tool: pay },", `match: { tool: pay }, when: '${rule}',`)
    const turn = (yaml: string) =>
      yaml.replace(/classes: .*/, "classes: [{ name: card, checksum: card_number }, { name: iban, checksum: iban }]")
    const [both, one] = [looking("size(call.classes) > 0"), looking('"iban" in call.classes')]

    expect(changes(both, turn(both))).toEqual(["classes[order]: [iban, card] → [card, iban]"])
    expect(changes(one, turn(one))).toEqual([])
  })

  test("a credential is told as there or not, and never shown", () => {
    const token = 'token: "${PLATFORM_TOKEN}", resolve_token: "${RESOLVE_TOKEN}"'
    const after = changed("agents.example.com }", `agents.example.com, ${token} }`)

    for (const need of ["all", "shared"] as const)
      expect(changes(least, after, need)).toEqual(["instances[main].resolve_token: null → (a secret)"])
  })

  test("where runs are continued is told by its address, or by the variable that holds it, and its file never", () => {
    const one = (more: string) => changed("agents.example.com }", `agents.example.com, resume: approved, ${more} }`)
    const before = one("resume_token_file: not-here")

    expect(changes(before, one('resume_url: "https://runs.example.com"'))).toEqual([
      "instances[main].resume_url: null → https://runs.example.com",
    ])
    expect(changes(before, one('resume_url: "${NO_SUCH_URL}"')).map(asWritten)).toEqual([
      "instances[main].resume_url: null → ${NO_SUCH_URL}",
    ])
  })

  test("texts that look alike are told apart: what nobody sees is a number, and a list is no text", () => {
    const say = (words: string) => changed("expire_after: 90m", `say: ${words}`).replace("U0A, jane@", "U0A, jane@")

    expect(changes(say('"Pay"'), say(String.raw`"P\u200bay"`))).toEqual([
      String.raw`rules[all].say: Pay → "P\u{200b}ay"`,
    ])
    expect(changes(say('"Pay"'), say("'[Pay]'"))).toEqual(['rules[all].say: Pay → "[Pay]"'])
    expect(changes(changed("tool: pay", 'tool: "a, b"'), changed("tool: pay", "tool: [a, b]"))).toEqual([
      'rules[pay].match.tool: ["a, b"] → [a, b]',
    ])
  })

  test("a long list is told whole", () => {
    const many = Array.from({ length: 200 }, (_, index) => `U0A${index}`).join(", ")

    expect(changes(least, changed("[U0A]", `[${many}]`))).toEqual([`rules[pay].approvers: [U0A] → [${many}]`])
  })

  test("Slack's address and sandbox are told together", () => {
    const after = changed("slack: {", 'slack: { sandbox: true, api_url: "http://127.0.0.1:1/api",')

    expect(changes(least, after, "all")).toEqual([
      "slack.api_url: https://slack.com/api/ → http://127.0.0.1:1/api/",
      "slack.sandbox: false → true",
    ])
  })

  test("how an instance resolves is told by its keys", () => {
    const one = (more: string) => changed("agents.example.com }", `agents.example.com, ${more} }`)
    const delegated = one("delegated: { algorithm: ES256, key_file: not-here, kid: one, issuer: us }")

    expect(changes(least, delegated)).toEqual([
      "instances[main].delegated.algorithm: null → ES256",
      "instances[main].delegated.kid: null → one",
      "instances[main].delegated.issuer: null → us",
    ])
    expect(changes(delegated, delegated.replace("kid: one, ", "kid: two, "))).toEqual([
      "instances[main].delegated.kid: one → two",
    ])
  })
})
