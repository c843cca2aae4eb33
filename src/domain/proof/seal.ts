// The seal: HMACs and encryption under a key that Redis never sees (R14, R15). Pure; the nonce is handed in.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto"
import { canonicalJson } from "../content/canonical.ts"
import type { Json } from "../content/json.ts"

/** Something was sealed under another key, or was changed since. Trying again does not help. */
export class SealError extends Error {
  readonly code = "bad-seal"
  readonly retryable = false
  constructor(purpose: string, options?: ErrorOptions) {
    super(`the seal of a ${purpose} is broken: it was made under another key, or changed since`, options)
    this.name = "SealError"
  }
}

/** Seals for one installation. Each purpose has its own derived key, so no seal passes for another. */
export interface Seal {
  /** HMAC-SHA-256 over the canonical JSON of a value, as 43 base64url characters. */
  mac(purpose: string, value: Json): string
  /** Compares in constant time. */
  verify(purpose: string, value: Json, mac: string): boolean
  /** AES-256-GCM: nonce, tag and ciphertext in one buffer. `context` (a key, a version) is bound but not stored. */
  encrypt(purpose: string, content: string | Buffer, context: string): Buffer
  /** The bytes that were encrypted; a text is UTF-8. Throws `SealError` unless sealed for the same place. */
  decrypt(purpose: string, sealed: Buffer, context: string): Buffer
  /** 96 unpredictable bits in base64url, under no key: they salt a hash, so that nobody can guess its text. */
  salt(): string
  /** A name for the key that does not tell the key: 16 hex characters. */
  readonly keyId: string
}

/** Makes the seal of an installation from its key (32 bytes or more). `nonce` returns 12 fresh random bytes. */
export function createSeal(options: {
  readonly key: Buffer
  readonly installation: string
  readonly nonce: () => Buffer
}): Seal {
  const { key, installation, nonce } = options
  // With key objects Node need not find out in each call what a buffer is.
  const derived = new Map<string, KeyObject>()
  const keyFor = (purpose: string): KeyObject => {
    const known = derived.get(purpose)
    if (known !== undefined) return known
    const made = createSecretKey(Buffer.from(hkdfSync("sha256", key, installation, `countersign ${purpose}`, 32)))
    derived.set(purpose, made)
    return made
  }
  const hmac = (purpose: string, value: Json): Buffer =>
    createHmac("sha256", keyFor(`mac ${purpose}`))
      .update(canonicalJson(value))
      .digest()
  return {
    mac: (purpose, value) => hmac(purpose, value).toString("base64url"),
    verify: (purpose, value, mac) => equal(hmac(purpose, value), Buffer.from(mac, "base64url")),
    encrypt: (purpose, content, context) =>
      encryptWith({ key: keyFor(`box ${purpose}`), nonce: nonce(), content, context }),
    decrypt: (purpose, sealed, context) => decryptWith({ key: keyFor(`box ${purpose}`), purpose, sealed, context }),
    salt: () => nonce().toString("base64url"),
    keyId: createHmac("sha256", keyFor("key id")).digest("hex").slice(0, 16),
  }
}

function equal(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function encryptWith(options: { key: KeyObject; nonce: Buffer; content: string | Buffer; context: string }): Buffer {
  const cipher = createCipheriv("aes-256-gcm", options.key, options.nonce)
  cipher.setAAD(Buffer.from(options.context))
  const { content } = options
  const body = typeof content === "string" ? cipher.update(content, "utf8") : cipher.update(content)
  const rest = cipher.final()
  return Buffer.concat([options.nonce, cipher.getAuthTag(), body, rest])
}

function decryptWith(options: { key: KeyObject; purpose: string; sealed: Buffer; context: string }): Buffer {
  const { key, purpose, sealed, context } = options
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(sealed.subarray(12, 28))
    // Here all of the text comes at once. `final` adds nothing, but throws if the tag does not belong to the text.
    const content = decipher.update(sealed.subarray(28))
    decipher.final()
    return content
  } catch (error) {
    throw new SealError(purpose, { cause: error })
  }
}
