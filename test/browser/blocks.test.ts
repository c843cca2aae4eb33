// Every kind of block on the page: drawn as Slack shows it, hostile text literal, each input with its label.
import { expect, it } from "vitest"
import { cardOf } from "../../src/slack/views/card.ts"
import { aCardModel, recorded } from "../slack/card-models.ts"
import { api, card, openTheatre, openWindow, PHONE, sandboxCast, says } from "./browser.ts"

const hostile = "*b* _i_ `c` <@U0BOB> <!channel> <https://evil.example|bank> &lt; :tada: [x](https://evil.example)"
const plain = (text: string) => ({ type: "plain_text", text, emoji: false })
const option = (value: string) => ({ text: plain(`Option ${value}`), value })
const options = [option("1"), option("2")]

const gallery = [
  { type: "header", text: plain(hostile) },
  {
    type: "section",
    text: { type: "mrkdwn", text: "*bold* of <@U0BOB> at <https://fine.example/path|the label>" },
    fields: [plain(hostile), { type: "mrkdwn", text: "`a*b*`" }],
    accessory: {
      type: "button",
      action_id: "beside",
      text: plain("Delete it"),
      style: "danger",
      confirm: {
        title: plain("Really?"),
        text: plain("It cannot be undone."),
        confirm: plain("Delete"),
        deny: plain("Keep"),
      },
    },
  },
  {
    type: "context",
    elements: [plain(hostile), { type: "image", image_url: "https://evil.example/x.png", alt_text: "alt" }],
  },
  { type: "image", image_url: "https://evil.example/x.png", alt_text: "a picture" },
  {
    type: "actions",
    elements: [
      { type: "static_select", action_id: "menu", placeholder: plain("Pick one"), options },
      { type: "overflow", action_id: "more", options },
      { type: "datepicker", action_id: "day", placeholder: plain("A day") },
      { type: "checkboxes", action_id: "boxes", options },
    ],
  },
  {
    type: "rich_text",
    elements: [
      { type: "rich_text_preformatted", elements: [{ type: "text", text: `${hostile}\n  two  spaces` }] },
      {
        type: "rich_text_list",
        style: "bullet",
        elements: [
          { type: "rich_text_section", elements: [{ type: "text", text: "an item" }] },
          { type: "rich_text_section", elements: [{ type: "link", url: "javascript:alert(1)", text: "no link" }] },
        ],
      },
      { type: "rich_text_quote", elements: [{ type: "text", text: "a quote" }] },
    ],
  },
  {
    type: "table",
    rows: [
      [
        { type: "raw_text", text: hostile },
        { type: "raw_text", text: "cell" },
      ],
    ],
  },
  {
    type: "container",
    title: plain("Folded"),
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: [{ type: "section", text: plain("inside the fold") }],
  },
  { type: "divider" },
]

it("all blocks of a message are drawn, and what is not Slack's markup stays letters", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  await api(theatre, "chat.postMessage", { channel: sandboxCast.general, text: "gallery", blocks: gallery })
  const shown = card(page, "Folded")
  await shown.waitFor()

  const links = await shown.getByRole("link").evaluateAll((nodes) => nodes.map(String))
  const literal = await shown.getByText(hostile).count()
  const pre = await shown.locator("pre").textContent()
  const items = await shown.locator("li").allTextContents()
  const quote = await shown.locator("blockquote").textContent()
  const cells = await shown.locator("td").allTextContents()
  const mentions = await shown.locator(".mention").allTextContents()
  await shown.getByText("Folded").click()
  await shown.getByText("inside the fold").waitFor()

  expect(links).toEqual(["https://fine.example/path"])
  expect(literal).toBe(5)
  expect(pre).toBe(`${hostile}\n  two  spaces`)
  expect(items).toEqual(["an item", "no link"])
  expect(quote).toBe("a quote")
  expect(cells).toEqual([hostile, "cell"])
  expect(mentions).toEqual(["@Bob"])
  expect(troubles).toEqual([])
})

it("a button that asks first sends nothing before the answer, and Escape is no", async () => {
  const theatre = await openTheatre()
  const { page } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  await api(theatre, "chat.postMessage", { channel: sandboxCast.general, text: "gallery", blocks: gallery })
  const sent: string[] = []
  page.on("request", (request) => sent.push(new URL(request.url()).pathname))
  const button = card(page, "Folded").getByRole("button", { name: "Delete it" })

  await button.click()
  const dialog = page.getByRole("dialog", { name: "Really?" })
  await says(dialog, "It cannot be undone.")
  await page.keyboard.press("Escape")
  await dialog.waitFor({ state: "detached" })
  expect(sent).toEqual([])
  await button.click()
  await dialog.getByRole("button", { name: "Delete" }).click()

  await expect.poll(() => sent).toEqual(["/control/click"])
})

const input = (label: string, element: object) => ({
  type: "input",
  block_id: label,
  label: plain(label),
  element,
})
const form = [
  input("Words", { type: "plain_text_input", action_id: "words", initial_value: "guess" }),
  input("Long words", { type: "plain_text_input", action_id: "long", multiline: true }),
  input("Number", { type: "number_input", action_id: "number", is_decimal_allowed: true }),
  input("Mail", { type: "email_text_input", action_id: "mail" }),
  input("Address", { type: "url_text_input", action_id: "url" }),
  input("Day", { type: "datepicker", action_id: "day" }),
  input("Time", { type: "timepicker", action_id: "time" }),
  input("One", { type: "static_select", action_id: "one", options }),
  input("Person", { type: "users_select", action_id: "person" }),
  input("Channel", { type: "channels_select", action_id: "channel" }),
  input("Radio", { type: "radio_buttons", action_id: "radio", options }),
  input("Several", { type: "multi_static_select", action_id: "several", options }),
  input("Boxes", { type: "checkboxes", action_id: "boxes", options }),
]

it("every input has its label, keeps what is typed when the app updates the view, and fits on a phone", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: "home", size: PHONE })
  const home = page.getByRole("main")
  // The bot's own Home comes first.
  await home.getByText("Waiting for you").waitFor()
  await api(theatre, "views.publish", { user_id: sandboxCast.alice, view: { type: "home", blocks: form } })
  await home.getByLabel("Words", { exact: true }).waitFor()

  expect(await home.getByLabel("Words", { exact: true }).inputValue()).toBe("guess")
  await home.getByLabel("Words", { exact: true }).fill("typed")
  await home.getByLabel("Long words").fill("several\nlines")
  await home.getByLabel("Number").fill("12.50")
  for (const [label, value] of [
    ["Mail", "a@b.example"],
    ["Address", "https://x.example"],
    ["Day", "2026-11-21"],
    ["Time", "12:30"],
  ] as const) {
    await home.getByLabel(label).fill(value)
  }
  await home.getByLabel("One").selectOption("2")
  await home.getByLabel("Person").selectOption(sandboxCast.bob)
  await home.getByLabel("Channel", { exact: true }).selectOption(sandboxCast.payments)
  await home.getByRole("radiogroup", { name: "Radio" }).getByLabel("Option 1").check()
  await home.getByRole("group", { name: "Several" }).getByLabel("Option 2").check()
  await home.getByRole("group", { name: "Boxes" }).getByLabel("Option 1").check()
  await api(theatre, "views.publish", {
    user_id: sandboxCast.alice,
    view: { type: "home", blocks: [...form, { type: "section", text: plain("The end") }] },
  })

  await page.getByText("The end").waitFor()

  expect(await home.getByLabel("Words", { exact: true }).inputValue()).toBe("typed")
  expect(await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")).toBe(0)
  expect(troubles).toEqual([])
})

it("the card of a hostile approval holds no link and no mention", async () => {
  const theatre = await openTheatre()
  const { page, troubles } = await openWindow(theatre, { person: sandboxCast.alice, at: sandboxCast.general })
  // Its rule lists nobody, so a mention would not be ours.
  const rules = [{ name: "prod-data", quorum: 1 }]
  const { text, blocks } = cardOf(aCardModel(recorded("get-pending-hostile-text"), { rules }))

  await api(theatre, "chat.postMessage", { channel: sandboxCast.general, text, blocks })
  const shown = card(page, "must approve")
  await shown.waitFor()

  expect(await shown.getByRole("link").count()).toBe(0)
  expect(await shown.locator(".mention, img").count()).toBe(0)
  expect(troubles).toEqual([])
})
