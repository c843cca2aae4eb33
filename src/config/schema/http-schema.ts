// The shape of `http` in countersign.yaml: where Countersign listens, and who may measure and read.
import { z } from "zod"
import { choice, credential, integer, switched, text } from "./values.ts"

const texts = z.preprocess((value) => (typeof value === "string" ? [value] : value), z.array(text).min(1, "is empty"))

/** Tokens for the read API and the page; without keys nobody reads. */
const read = z.strictObject({
  algorithm: choice(["RS256", "ES256", "HS256"]).optional(),
  verification_keys: texts.optional(),
  jwks_file: text.optional(),
  audience: texts.optional(),
  issuer: texts.optional(),
  require_exp: switched.optional(),
  reachable: choice(["loopback", "anywhere"]).optional(),
})

/** Everything below `http`. */
export const http = z.strictObject({
  port: integer({ min: 0, max: 65_535 }).optional(),
  host: text.optional(),
  metrics: choice(["loopback", "anywhere", "off"]).optional(),
  metrics_token: credential.min(16, "must have at least 16 characters").optional(),
  read: read.optional(),
})
