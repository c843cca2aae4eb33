// Delegated credentials: a JWT of one minute, for one decision and its human, so that the platform attests who decided.
import { readFile } from "node:fs/promises"
import { SignJWT } from "jose"
import { type DelegatedSigning, isReservedSubject, readDelegateKey } from "../domain/people/delegated.ts"
import type { Principal } from "../flow/ports.ts"

/** How we sign tokens. */
export interface DelegateOptions extends DelegatedSigning {
  /** Epoch ms. */
  readonly clock: () => number
}

/** A token, or why we could sign none. The reason never quotes the key. */
export type Minted = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly why: string }

/** Signs for one human and one decision at a time. */
export interface Delegate {
  /** Makes a fresh token for each attempt, always with the decision's id as its `jti`. */
  mint(principal: Principal): Promise<Minted>
}

/** How far we date a token back: a slow clock must accept it. AgentOS allows 10 s (`docs/platform-facts.md` 6.3). */
const datedBackS = 5
/** How long a token lives, from `iat` to `exp`. */
const lifeS = 60

/** Makes the signer of one instance. Its tokens hold `approvals:write` and nothing else (trap 42). */
export function createDelegate(options: DelegateOptions): Delegate {
  const { algorithm, kid, audience, issuer, clock } = options
  return {
    mint: async ({ subject, decision }) => {
      if (isReservedSubject(subject)) return { ok: false, why: `the subject "${subject}" is reserved by the platform` }
      const text = await textOf(options.key)
      if (text === "") return { ok: false, why: "the key for delegated tokens cannot be read" }
      const read = readDelegateKey(text, algorithm)
      if (!read.ok) return { ok: false, why: `the key for delegated tokens ${read.why}` }
      const id = read.kid ?? kid
      const issuedAt = Math.floor(clock() / 1_000) - datedBackS
      const token = new SignJWT({ scopes: ["approvals:write"] })
        .setProtectedHeader({ alg: algorithm, typ: "JWT", ...(id === undefined ? {} : { kid: id }) })
        .setSubject(subject)
        .setJti(decision)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeS)
      if (audience !== undefined) token.setAudience(audience)
      if (issuer !== undefined) token.setIssuer(issuer)
      return { ok: true, token: await token.sign(read.key) }
    },
  }
}

/** The key's text; empty if its file is gone, as while somebody replaces it. Then we sign nothing, and try later. */
async function textOf(key: DelegateOptions["key"]): Promise<string> {
  return key.kind === "given" ? key.value : readFile(key.path, "utf8").catch(() => "")
}
