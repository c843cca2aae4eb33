// Shows that no text of an agent can act, hide or overflow, with hand-picked and generated hostile inputs.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { blockLimits } from "../../src/blockkit/limits.ts"
import { clip, escapedLength, escapeMrkdwn, plain, preformatted, visible } from "../../src/blockkit/text.ts"
import { validateMessage } from "../../src/blockkit/validate.ts"

const NASTY = [
  "<!channel>",
  "<@U123>",
  "<https://bad|https://good>",
  "&lt;",
  "```",
  "\u202Egpj.exe",
  "\u200B",
  "\uD800",
  "\uDC00",
  "😀",
  "⚠\uFE0F",
  "a\uFE0F",
  "\u0000",
  "\r",
  "\n",
  "\t",
  "\u{E0041}",
  "*bold*",
]
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...NASTY),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""))

describe("escapeMrkdwn", () => {
  it("escapes the three characters of Slack's markup, the ampersand once", () => {
    expect(escapeMrkdwn("<!here> & &lt;")).toBe("&lt;!here&gt; &amp; &amp;lt;")
  })

  it("leaves no bracket, keeps the length that escapedLength promises, and can be undone", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapeMrkdwn(text)

        expect(escaped).not.toMatch(/[<>]/)
        expect(escaped).toHaveLength(escapedLength(text))
        expect(escaped.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")).toBe(text)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe("visible", () => {
  it.each([
    ["a\u202Eb", "a⟨U+202E⟩b"],
    ["a\u200Bb", "a⟨U+200B⟩b"],
    ["\uFEFF", "⟨U+FEFF⟩"],
    ["\u0000\u001B[31m", "⟨U+0000⟩⟨U+001B⟩[31m"],
    ["x\ry", "x⟨U+000D⟩y"],
    ["\uD83D", "⟨U+D83D⟩"],
    ["\u{E0041}", "⟨U+E0041⟩"],
    ["\u3164", "⟨U+3164⟩"],
    ["a\uFE0F", "a⟨U+FE0F⟩"],
    ["\u2028", "⟨U+2028⟩"],
    ["12\u00A0€", "12⟨U+00A0⟩€"],
    ["a\u2003b", "a⟨U+2003⟩b"],
    ["a\u2800b", "a⟨U+2800⟩b"],
    ["\u3000", "⟨U+3000⟩"],
    ["\u1680", "⟨U+1680⟩"],
    ["\u{1D159}", "⟨U+1D159⟩"],
    ["pr\uFFFCod", "pr⟨U+FFFC⟩od"],
    ["\u{13441}\u{13442}", "⟨U+13441⟩⟨U+13442⟩"],
  ])("shows what cannot be seen: %j becomes %j", (raw, shown) => {
    expect(visible(raw)).toBe(shown)
  })

  it.each(["line\n\ttab", "⚠\uFE0F careful", "😀", "naïve 漢字 עברית"])("leaves %j alone", (text) => {
    expect(visible(text)).toBe(text)
  })

  it("leaves nothing invisible behind, is well-formed, and changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = visible(text)

        expect(shown.isWellFormed()).toBe(true)
        expect(shown.replaceAll("\uFE0F", "")).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/u)
        expect(visible(shown)).toBe(shown)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe("clip", () => {
  it("counts what escaping adds", () => {
    expect(clip("a&b", 5)).toEqual({ text: "a", cut: 2 })
    expect(clip("a&b", 6)).toEqual({ text: "a&", cut: 1 })
    expect(clip("a&b", 7)).toEqual({ text: "a&b", cut: 0 })
  })

  it("does not split a surrogate pair", () => {
    expect(clip("a😀b", 2)).toEqual({ text: "a", cut: 3 })
  })

  it("gives the longest beginning that fits, with the exact number left out", () => {
    fc.assert(
      fc.property(hostile.map(visible), fc.nat(60), (text, max) => {
        const { text: kept, cut } = clip(text, max)
        const next = cut > 0 ? String.fromCodePoint(text.codePointAt(kept.length) ?? 0) : ""

        expect(text.startsWith(kept)).toBe(true)
        expect(kept.length + cut).toBe(text.length)
        expect(escapedLength(kept)).toBeLessThanOrEqual(max)
        expect(kept.isWellFormed()).toBe(true)
        if (cut > 0) expect(escapedLength(kept + next)).toBeGreaterThan(max)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe("containers", () => {
  it("shows an empty text as empty, because Slack refuses an empty element", () => {
    expect(plain("").text).toBe("⟨empty⟩")
    expect(preformatted("").elements[0]?.elements[0]?.text).toBe("⟨empty⟩")
  })

  it("gives a message that passes the validator for any clipped text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const short = clip(visible(text), 2_900).text
        const message = {
          text: escapeMrkdwn(clip(visible(text), blockLimits.messageText).text) || "x",
          blocks: [preformatted(short), { type: "section", text: plain(short) }],
        }

        expect(validateMessage(message)).toMatchObject({ ok: true })
      }),
      { numRuns: 10_000 },
    )
  })
})
