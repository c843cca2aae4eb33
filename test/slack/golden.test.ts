// What people see in Slack, held by golden files: each state of a card and each view as JSON, and all of it as text.
import { globSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { lookAsText } from "../support/look-as-text.ts"
import { argumentLooks, kindLooks, type Looks, pauseLooks, stateLooks, viewLooks } from "./looks.ts"
import { messageVerdict, viewVerdict } from "./sight.ts"

const texts: Readonly<Record<string, Looks>> = {
  states: stateLooks(),
  ...Object.fromEntries(Object.entries(kindLooks()).map(([kind, looks]) => [`kind-${kind}`, looks])),
  pauses: pauseLooks(),
  arguments: argumentLooks(),
  views: viewLooks(),
}
/** Looks that stand there as text alone: the JSON of others has all their kinds of parts. */
const textOnly = ["state-rejected-run-ended", "state-related-hidden", "view-details-changed", "view-home-search"]
const jsons = [
  ...Object.entries(stateLooks()).map(([name, look]) => [`state-${name}`, look] as const),
  ...Object.entries(viewLooks()).map(([name, look]) => [`view-${name}`, look] as const),
].filter(([name]) => !textOnly.includes(name))

function golden(name: string, text: string): Promise<unknown> {
  return expect(`${text}\n`).toMatchFileSnapshot(`golden/${name}`)
}

describe("people read the same as before", () => {
  it.each(Object.entries(texts))("people read the same as before in all looks of %s", async (name, looks) => {
    const shown = Object.entries(looks).map(([look, content]) => `═══ ${look}\n\n${lookAsText(content)}`)

    await golden(`${name}.txt`, shown.join("\n\n"))
  })
})

describe("Slack gets the same JSON as before", () => {
  it.each(jsons)("Slack gets the same JSON as before for %s", async (name, look) => {
    await golden(`${name}.json`, JSON.stringify(look, null, 2))
  })

  it("no golden file is left over from a look that is gone", () => {
    const kept = globSync("*", { cwd: new URL("golden", import.meta.url).pathname })

    const held = [...Object.keys(texts).map((name) => `${name}.txt`), ...jsons.map(([name]) => `${name}.json`)]
    expect(kept.filter((name) => !held.includes(name))).toEqual([])
  })
})

it.each(Object.entries(texts))("Slack would take every look of %s", (_, looks) => {
  const verdicts = Object.values(looks).map((look) =>
    look.type === undefined ? messageVerdict({ text: "", ...look }) : viewVerdict(look),
  )

  expect(new Set(verdicts)).toEqual(new Set(["ok"]))
})

it.each([
  ["a field", { blocks: [{ type: "divider", loud: true }] }, "divider: nobody would see loud"],
  ["a kind of block", { blocks: [{ type: "video" }] }, "video has no text"],
])("%s that the text would not show is refused", (_, look, message) => {
  expect(() => lookAsText(look)).toThrow(message)
})

it.each(Object.keys({ ...stateLooks(), ...viewLooks() }))(
  "no value of the look %s changes without its text",
  (name) => {
    const look = JSON.stringify({ ...stateLooks(), ...viewLooks() }[name])
    const values = [...look.matchAll(/(?<=[:,[])(?:"(?:\\.|[^"\\])*"(?!:)|true|false|\d+)/g)]
    const before = lookAsText(JSON.parse(look))

    const unseen = values.filter(({ 0: value, index }) => {
      const changed = `${look.slice(0, index)}${other(value)}${look.slice(index + value.length)}`
      return !look.slice(0, index).endsWith('"type":') && lookAsText(JSON.parse(changed)) === before
    })

    expect(unseen.map(({ index }) => look.slice(index - 40, index + 40))).toEqual([])
  },
)

/** Another value of the same kind. */
function other(value: string): string {
  if (value === "true" || value === "false") return String(value !== "true")
  return value.startsWith('"') ? `"x${value.slice(1)}` : `${value}0`
}
