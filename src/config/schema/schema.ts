// The shape of countersign.yaml, checked strictly; what depends on two keys at once is in checks.ts.
import { z } from "zod"
import { identity } from "../parts/identities.ts"
import { http } from "./http-schema.ts"
import { channel, rule } from "./rule-schema.ts"
import { choice, credential, duration, integer, switched, text } from "./values.ts"

const SECOND = 1_000
const DAY = 86_400 * SECOND

const url = (words: string, protocols: RegExp) =>
  text.refine((value) => URL.canParse(value) && protocols.test(value), words)

/** A token is signed for each decision, in the name of the human (`resolving.ts`). */
const delegated = z.strictObject({
  algorithm: choice(["ES256", "RS256", "HS256"]),
  key: text.optional(),
  key_file: text.optional(),
  kid: text.optional(),
  audience: text.optional(),
  issuer: text.optional(),
})

const instance = z.strictObject({
  name: text.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, "must be 1 to 63 letters, digits, dots, - or _"),
  url: url("must be an http or https address", /^https?:\/\//).refine(isPlainAddress, {
    error: "must hold no user, password, query or fragment; the credential belongs to token",
  }),
  token: credential.optional(),
  token_file: text.optional(),
  resolve_token: credential.optional(),
  delegated: delegated.optional(),
  accept_run_scope: switched.optional(),
  resume: choice(["off", "approved", "decided"]).optional(),
  resume_token: credential.optional(),
  resume_timeout: duration({ min: SECOND, max: 3_600 * SECOND, words: "must be between 1s and 1h" }).optional(),
  reject_user_input: choice(["hold", "send"]).optional(),
  beside_agno_slack: switched.optional(),
  poll_every: duration({ min: 100, max: 3_600 * SECOND, words: "must be between 100ms and 1h" }).optional(),
  timeout: duration({ min: 100, max: 120 * SECOND, words: "must be between 100ms and 2m" }).optional(),
  ca_file: text.optional(),
})

const slack = z.strictObject({
  mode: choice(["socket", "http"]).optional(),
  bot_token: credential,
  app_token: credential.optional(),
  signing_secret: text.optional(),
  api_url: url("must be an http or https address", /^https?:\/\//).optional(),
  sandbox: switched.optional(),
  ca_file: text.optional(),
  command: text
    .regex(/^\/[a-z0-9_-]{1,31}$/, "must begin with / and have 1 to 31 small letters, digits, - or _")
    .optional(),
  pace_ms: integer({ min: 0, max: 60_000 }).optional(),
  summary_above: integer({ min: 0, max: 1_000 }).optional(),
})

const limits = z.strictObject({
  cards_per_instance: integer({ min: 1, max: 10_000 }).optional(),
  cards_per_agent: integer({ min: 1, max: 10_000 }).optional(),
})

/** The whole file. Defaults are filled in by `assemble.ts`. */
export const schema = z.strictObject({
  installation: text.regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be 1 to 63 small letters, digits, - or _").optional(),
  redis_url: url("must be a redis:// or rediss:// address", /^rediss?:\/\//).optional(),
  data_folder: text.optional(),
  resolved_by: text
    .max(200, "must be at most 200 characters")
    .refine((template) => !/[{}]/.test(template.replaceAll(/\{(email|team|user|name)\}/g, "")), {
      error: "may hold only {email}, {team}, {user} and {name} in braces",
    })
    .refine((template) => /\{(email|user)\}/.test(template), "must name the person by {email} or {user}")
    .optional(),
  http: http.optional(),
  receipts: z.strictObject({ algorithm: choice(["EdDSA", "ES256"]).optional(), key_file: text.optional() }).optional(),
  ledger: z
    .strictObject({
      checkpoint_every: duration({ min: SECOND, max: 3_600 * SECOND, words: "must be between 1s and 1h" }).optional(),
      checkpoint_entries: integer({ min: 1, max: 100_000 }).optional(),
      checkpoint_file: text.optional(),
      require_checkpoint: z.boolean().optional(),
      audit_channel: channel.optional(),
    })
    .optional(),
  retention: duration({ min: DAY, max: 36_500 * DAY, words: "must be between 1d and 36500d" }).optional(),
  instances: z.array(instance).min(1, "must list at least one instance"),
  slack,
  limits: limits.optional(),
  identities: z.array(identity).optional(),
  rules: z.array(rule).min(1, "must list at least one rule"),
})

/** The file as it is after checking, names as on the wire. */
export type Settings = z.infer<typeof schema>

function isPlainAddress(value: string): boolean {
  const found = URL.parse(value)
  return found === null || found.username + found.password + found.search + found.hash === ""
}
