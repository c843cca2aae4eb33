// Makes tokens for the read API of a world, good and bad ones.
import { signToken } from "../../src/auth/sign-token.ts"
import { readKey } from "../stories/world.ts"

/** YAML for `WorldOptions.http` that lets these tokens in. */
export const readingOn = `, read: { algorithm: HS256, verification_keys: "\${READ_KEY}", issuer: tests }`

/** A token for this moment. Without changes it may read everything. */
export function aReadToken(
  changes: Partial<Parameters<typeof signToken>[0]> & { readonly issuedAt?: number } = {},
): Promise<string> {
  return signToken({
    algorithm: "HS256",
    key: readKey,
    scopes: ["cases:read", "ledger:read"],
    audience: ["countersign-read"],
    issuer: "tests",
    issuedAt: Math.floor(Date.now() / 1_000),
    lifeSeconds: 600,
    ...changes,
  })
}
