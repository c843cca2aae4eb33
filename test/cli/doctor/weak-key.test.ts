// What makes a key weak, and that a random one is never taken for weak.

import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { weaknessOf } from "../../../src/cli/doctor/keys.ts"

describe("a key is weak", () => {
  test.each([
    ["k".repeat(40), "repeats itself"],
    ["abcdefgh".repeat(5), "repeats itself"],
    ["0123456789abcdef".repeat(4), "repeats itself"],
    ["passwordpasswordpasswordpassword", "repeats itself"],
    ["bdaecbbeadceacdbbceedabcaadbeccd", "has few different characters"],
    ["abcdefghijklmnopqrstuvwxyz0123456789", "runs along the alphabet or a keyboard"],
    ["qwertyuiopasdfghjklzxcvbnm1234567890", "runs along the alphabet or a keyboard"],
    ["ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210", "runs along the alphabet or a keyboard"],
    ["correct horse battery staple correct", "is made of words"],
    ["my-super-secret-countersign-key-prod", "is made of words"],
    ["CountersignKeyForProduction2024!!!", "is made of words"],
    ["ThisIsTheKeyOfOurApprovalBotPleaseKeepIt", "is made of words"],
    ["a key of the tests that is long enough", "is made of words"],
    ["too short", "has fewer than 32 bytes"],
  ])("a key is weak: %j %s", (key, why) => {
    expect(weaknessOf(key)).toBe(why)
  })
})

/** Bytes that look random and are the same in every run. */
function bytes(seed: number, count: number): Buffer {
  const parts = [0, 1].map((part) => createHash("sha256").update(`${seed} ${part}`).digest())
  return Buffer.concat(parts).subarray(0, count)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
const spelled = (from: Buffer, letters: string) =>
  [...from].map((byte) => letters.charAt(byte % letters.length)).join("")

describe("a key is not weak", () => {
  test.each([
    ["32 bytes in hexadecimal", (seed: number) => bytes(seed, 32).toString("hex")],
    ["32 bytes in base64", (seed: number) => bytes(seed, 32).toString("base64")],
    ["32 bytes in base64url", (seed: number) => bytes(seed, 32).toString("base64url")],
    ["52 characters of base32", (seed: number) => spelled(bytes(seed, 52), alphabet)],
    ["40 small letters and digits", (seed: number) => spelled(bytes(seed, 40), "abcdefghijklmnopqrstuvwxyz0123456789")],
    ["16 bytes in hexadecimal", (seed: number) => bytes(seed, 16).toString("hex")],
    ["40 digits", (seed: number) => spelled(bytes(seed, 40), "0123456789")],
  ])("a key is not weak: %s", (_, make) => {
    const keys = Array.from({ length: 3_000 }, (__, seed) => make(seed))

    expect(keys.filter((key) => weaknessOf(key) !== null)).toEqual([])
  })
})
