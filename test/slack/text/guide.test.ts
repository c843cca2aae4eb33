// The guide for people who are asked: `docs/approving.md` and the modal are made of the same words.
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { guideView } from "../../../src/slack/lists/command-messages.ts"
import { type GuidePart, guideParts, guideTitle } from "../../../src/slack/text/guide-words.ts"
import { viewVerdict, wordsOf } from "../sight.ts"

const fileOf = (name: string) => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url))

const opening = `For people who press the buttons. \`/approvals help\` shows the same in Slack. Whoever sets Countersign up reads
[what people see, point by point](slack.md).`

function partOnPage({ title, lines, picture }: GuidePart): string {
  const shown = picture === undefined ? "" : `\n\n![${picture[1]}](${picture[0]})`
  return `## ${title}\n\n${lines.map((line) => `- ${line}`).join("\n")}${shown}`
}

test("docs/approving.md says what the modal says, with pictures (-u writes it)", async () => {
  const page = [`# ${guideTitle}`, opening, ...guideParts.map(partOnPage)].join("\n\n")

  await expect(`${page}\n`).toMatchFileSnapshot(fileOf("approving.md"))
})

test("each picture of the guide is there", () => {
  const names = guideParts.flatMap(({ picture }) => (picture === undefined ? [] : [picture[0]]))

  expect(names.filter((name) => !existsSync(fileOf(name)))).toEqual([])
})

test("Slack takes the modal, which holds every line", () => {
  const view = guideView()
  const words = wordsOf(view.blocks).replaceAll("\n", "")

  expect(viewVerdict(view)).toBe("ok")
  for (const { title, lines } of guideParts)
    for (const line of [title, ...lines]) expect(words).toContain(line.replaceAll("`", ""))
})
