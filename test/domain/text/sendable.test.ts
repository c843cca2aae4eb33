// What a header of HTTP can carry.

import { validateHeaderValue } from "node:http"
import { expect, test } from "vitest"
import { flawOfCredential, isSendable } from "../../../src/domain/text/sendable.ts"

test.each([
  ["xoxb-1-2-aB_c.d~+/=", true],
  ["pässword with\ta tab", true],
  ["wrapped\nsecret", false],
  ["wrapped\r\nsecret", false],
  ["xoxb-…", false],
  ["nul\u0000", false],
])("a header can carry %j, or not: %s", (text, sendable) => {
  expect(isSendable(text)).toBe(sendable)
})

test("nothing passes that Node does not send", () => {
  const texts = Array.from({ length: 0x180 }, (_, code) => `a${String.fromCharCode(code)}b`)
  const sent = (text: string) => {
    try {
      validateHeaderValue("x", text)
      return true
    } catch {
      return false
    }
  }

  expect(texts.filter(isSendable)).toEqual(texts.filter(sent))
})

test.each([
  ["eyJhbGciOi.e30.c2ln", null],
  ["bearer-of-news", null],
  ["Bearer eyJhbGciOi.e30.c2ln", /^begins with the word Bearer: give the token alone/],
  ["BEARER\teyJ", /^begins with the word Bearer/],
  ["Bearer", /^begins with the word Bearer/],
  ["Bearer wrapped\nsecret", /^holds a line break/],
])("what is wrong with %j as a credential is said: %s", (text, words) => {
  const flaw = flawOfCredential(text)

  if (words === null) expect(flaw).toBeNull()
  else expect(flaw).toMatch(words)
})
