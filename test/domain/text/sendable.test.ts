// What a header of HTTP can carry.

import { validateHeaderValue } from "node:http"
import { expect, test } from "vitest"
import { isSendable } from "../../../src/domain/text/sendable.ts"

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
