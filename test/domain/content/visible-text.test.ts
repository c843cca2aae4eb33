// Which texts somebody sees, and which are blank however many characters they have.
import { expect, test } from "vitest"
import { hasVisibleText } from "../../../src/domain/content/visible-text.ts"

test.each([
  "",
  " \n\t",
  "\u00a0",
  "\u3000",
  "\u200b",
  "\u3164",
  "\uffa0",
  "\u2800\u2800",
  "\u{1d159}",
  "\u{e0041}\u{e007f}",
  "\ufe0f",
  "\u202e \u2066",
  "\u0000",
  "\ud800",
  "\ue000",
  "\ufffc",
])("nobody sees anything of %j", (text) => {
  expect(hasVisibleText(text)).toBe(false)
  expect(hasVisibleText(`${text}${text} `)).toBe(false)
})

test.each(["a", ".", "\u200bok", "審査済", "👍", "❤️", "\u3164 yes"])("something is seen of %j", (text) => {
  expect(hasVisibleText(text)).toBe(true)
})
