// Signs tokens for development and tests of an installation. In production somebody else signs (5.2, rule 6).
import { createPrivateKey, type KeyObject } from "node:crypto"
import { SignJWT } from "jose"
import { AuthSetupError } from "./errors.ts"
import { type Algorithm, readSecret } from "./verification-keys.ts"

/** What a token says, and for how long. `issuedAt` is epoch seconds. */
export interface TokenToSign {
  readonly algorithm: Algorithm
  /** A private key in PEM; for HS256 the secret. */
  readonly key: string
  readonly kid?: string | undefined
  readonly subject?: string | undefined
  readonly scopes: readonly string[]
  /** The name of the scopes claim. Default `scopes`. */
  readonly scopesClaim?: string | undefined
  readonly audience?: readonly string[] | undefined
  readonly issuer?: string | undefined
  readonly issuedAt: number
  readonly lifeSeconds: number
}

/** Signs a token. `iat` is 5 s in the past, for clocks that differ. Throws `AuthSetupError` if the key cannot sign. */
export async function signToken(wish: TokenToSign): Promise<string> {
  const { algorithm, kid, subject, audience, issuer, issuedAt } = wish
  const token = new SignJWT({ [wish.scopesClaim ?? "scopes"]: [...wish.scopes] })
    .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(kid === undefined ? {} : { kid }) })
    .setIssuedAt(issuedAt - 5)
    .setExpirationTime(issuedAt + wish.lifeSeconds)
  if (subject !== undefined) token.setSubject(subject)
  if (audience !== undefined) token.setAudience([...audience])
  if (issuer !== undefined) token.setIssuer(issuer)
  return token.sign(signingKey(wish.key, algorithm))
}

function signingKey(text: string, algorithm: Algorithm): KeyObject {
  if (algorithm === "HS256") return readSecret(text, "signing key")
  try {
    return createPrivateKey(text)
  } catch (cause) {
    throw new AuthSetupError("key_unreadable", `signing key: ${algorithm} takes a private key in PEM, this is none`, {
      cause,
    })
  }
}
