// Condensed text is the same text again, in one form only.
import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalJson } from "../../../src/domain/content/canonical.ts"
import { condense, expand, phrasesOf } from "../../../src/store/redis/condense.ts"
import { runsOf } from "../../support/runs.ts"

const phrases = phrasesOf(['{"chain":"case:', '","event":{', "é", ...Array.from({ length: 40 }, (_, at) => `<${at}>`)])
const sha = createHash("sha256").update("x")
const hash = sha.copy().digest("hex")
const mac = sha.copy().digest("base64url")

/** Texts in which what is condensed stands often, whole and half. */
const pieces = fc.oneof(
  fc.constantFrom(hash, mac, `"${mac}"`, "1795545633693", "17955456336931", "0d9cbb1e-5c1f-4c0e-8f3a-6f1d2c3b4a59"),
  fc.constantFrom(...phrases.texts, '"', "-", "."),
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[0-9a-f]{0,600}$/),
  fc.stringMatching(/^"[A-Za-z0-9_-]{43}"$/),
)

describe("condensed text", () => {
  test("condensed text is the same again, whatever it is", () => {
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = JSON.stringify(parts.join("").toWellFormed())

        const condensed = condense(text, phrases)

        expect(condensed === null ? null : expand(condensed, phrases)).toBe(text)
      }),
      { numRuns: runsOf(1_000) },
    )
  })

  test("other bytes than those that a text has are none", () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 31, 34), fc.nat(255)), { maxLength: 80 })
    fc.assert(
      fc.property(bytes, (given) => {
        const text = expand(Buffer.from(given), phrases)

        expect(text === null ? null : condense(text, phrases)).toEqual(text === null ? null : Buffer.from(given))
      }),
      { numRuns: runsOf(2_000) },
    )
  })

  test("condensed text holds hashes, ids and moments as bytes, and phrases as codes", () => {
    const text = canonicalJson({ at: 1_795_545_633_693, digest: hash, mac })

    expect(condense(text, phrases)?.length).toBe(text.length - 64 - 43 - 13 + 34 + 33 + 7)
    expect(condense('{"chain":"case:<39>', phrases)).toEqual(Buffer.of(6, 5, 16))
  })

  test("text with control characters is left as it is", () => {
    expect(condense("a\u0001b", phrases)).toBeNull()
    expect(expand(Buffer.from("a\u0001b"), phrases)).toBeNull()
  })

  test("more phrases than there are codes are refused", () => {
    expect(() => phrasesOf(Array.from({ length: 283 }, (_, at) => `p${at}`))).toThrow("283 phrases are more than 282")
  })
})
