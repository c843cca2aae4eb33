// Signs JWTs whose claims are written by hand, with numbers that no library would sign.
import { createHmac } from "node:crypto"

/** A JWT of HS256 with exactly these claims, as JSON text. */
export function rawToken(claims: string, secret: string): string {
  const signed = ['{"alg":"HS256"}', claims].map((part) => Buffer.from(part).toString("base64url")).join(".")
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

/** Times that JSON can write and that are no finite number, or no number at all. */
export const oddTimes = ["1e999", "-1e999", '"soon"', '"1795176000"', "null", "true", "[1795176000]", "{}"] as const
