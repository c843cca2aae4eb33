// The shape of countersign.yaml, checked strictly; what depends on two keys at once is in checks.ts.
import { z } from "zod"
import { rule } from "./rule-schema.ts"
import { durationMs } from "./units.ts"
import { choice, integer, switched, text } from "./values.ts"

const SECOND = 1_000

/** A duration as `durationMs` reads it, within bounds given in milliseconds. */
function duration(bounds: { readonly min: number; readonly max: number; readonly words: string }) {
  return z.preprocess(
    durationMs,
    z
      .number({ error: "must be a duration such as 500ms, 1s or 2m" })
      .min(bounds.min, bounds.words)
      .max(bounds.max, bounds.words),
  )
}

const url = (words: string, protocols: RegExp) =>
  text.refine((value) => URL.canParse(value) && protocols.test(value), words)

const instance = z.strictObject({
  name: text.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, "must be 1 to 63 letters, digits, dots, - or _"),
  url: url("must be an http or https address", /^https?:\/\//).refine(isPlainAddress, {
    error: "must hold no user, password, query or fragment; the credential belongs to token",
  }),
  token: text.optional(),
  accept_run_scope: switched.optional(),
  poll_every: duration({ min: 100, max: 3_600 * SECOND, words: "must be between 100ms and 1h" }).optional(),
  timeout: duration({ min: 100, max: 120 * SECOND, words: "must be between 100ms and 2m" }).optional(),
})

const slack = z.strictObject({
  mode: choice(["socket", "http"]).optional(),
  bot_token: text,
  app_token: text.optional(),
  signing_secret: text.optional(),
  api_url: url("must be an http or https address", /^https?:\/\//).optional(),
  sandbox: switched.optional(),
  command: text
    .regex(/^\/[a-z0-9_-]{1,31}$/, "must begin with / and have 1 to 31 small letters, digits, - or _")
    .optional(),
  pace_ms: integer({ min: 0, max: 60_000 }).optional(),
})

const identity = z.strictObject({
  subject: text,
  slack: text.regex(
    /^[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}$/,
    "must be a Slack team id and user id, joined by a colon",
  ),
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
  http: z.strictObject({ port: integer({ min: 0, max: 65_535 }).optional(), host: text.optional() }).optional(),
  receipts: z.strictObject({ algorithm: choice(["EdDSA", "ES256"]).optional(), key_file: text.optional() }).optional(),
  ledger: z
    .strictObject({
      checkpoint_every: duration({ min: SECOND, max: 3_600 * SECOND, words: "must be between 1s and 1h" }).optional(),
      checkpoint_entries: integer({ min: 1, max: 100_000 }).optional(),
      checkpoint_file: text.optional(),
    })
    .optional(),
  instances: z.array(instance).min(1, "must list at least one instance"),
  slack,
  identities: z.array(identity).optional(),
  rules: z.array(rule).min(1, "must list at least one rule"),
})

/** The file as it is after checking, names as on the wire. */
export type Settings = z.infer<typeof schema>

function isPlainAddress(value: string): boolean {
  const found = URL.parse(value)
  return found === null || found.username + found.password + found.search + found.hash === ""
}
