// Writes a message or view of Slack as text for review: first what people see, then in short what they do not see.

/** Any part of Block Kit that our cards and views are made of. */
interface Part {
  readonly type?: string
  readonly text?: string | Part
  readonly emoji?: boolean
  readonly style?: string | Readonly<Record<string, boolean>>
  readonly elements?: readonly Part[]
  readonly element?: Part
  readonly fields?: readonly Part[]
  readonly child_blocks?: readonly Part[]
  readonly blocks?: readonly Part[]
  readonly title?: Part
  readonly submit?: Part
  readonly close?: Part
  readonly label?: Part
  readonly hint?: Part
  readonly optional?: boolean
  readonly options?: readonly Part[]
  readonly initial_option?: Part
  readonly initial_value?: string
  readonly multiline?: boolean
  readonly max_length?: number
  readonly placeholder?: Part
  readonly dispatch_action?: boolean
  readonly dispatch_action_config?: Part
  readonly trigger_actions_on?: readonly string[]
  readonly confirm?: Part
  readonly deny?: Part
  readonly value?: string
  readonly level?: string
  readonly action_id?: string
  readonly block_id?: string
  readonly callback_id?: string
  readonly private_metadata?: string
  readonly accessibility_label?: string
  readonly user_id?: string
  readonly usergroup_id?: string
  readonly channel_id?: string
  readonly url?: string
  readonly timestamp?: number
  readonly format?: string
  readonly fallback?: string
  readonly is_collapsible?: boolean
  readonly default_collapsed?: boolean
  readonly complete?: boolean
}

/** What each part may hold; what is not here would go unseen, and throws. `""` stands for parts without a type. */
const fields: Readonly<Record<string, string>> = {
  "": "text blocks complete bold code italic title confirm deny style value trigger_actions_on",
  modal: "callback_id title submit close blocks private_metadata",
  home: "callback_id blocks",
  header: "text block_id",
  divider: "block_id",
  section: "text fields block_id",
  context: "elements block_id",
  actions: "elements block_id",
  alert: "text level block_id",
  input: "label hint element optional block_id dispatch_action",
  container: "title child_blocks is_collapsible default_collapsed block_id",
  rich_text: "elements block_id",
  rich_text_section: "elements",
  rich_text_list: "elements style",
  rich_text_preformatted: "elements",
  text: "text style",
  user: "user_id",
  usergroup: "usergroup_id",
  channel: "channel_id",
  link: "url text",
  date: "timestamp format fallback",
  plain_text: "text emoji",
  mrkdwn: "text",
  button: "action_id text value accessibility_label style confirm",
  plain_text_input: "action_id multiline max_length initial_value placeholder dispatch_action_config",
  static_select: "action_id options initial_option",
  checkboxes: "action_id options",
}

const styleMarks: Readonly<Record<string, string>> = { bold: "**", code: "`", italic: "_" }
const dateFormat = "{date_short_pretty} at {time}"

/** The text of a message or a view. Throws on a part or a field that it would not show. */
export function lookAsText(look: unknown): string {
  refuseUnseen(look)
  const part = look as Part
  const blocks = part.blocks ?? []
  return [...titleLines(part), ...blocks.flatMap((block) => [...blockLines(block), ""]), ...behindLines(part)]
    .flatMap((line) => line.split("\n"))
    .map((line) => printable(line).trimEnd())
    .join("\n")
}

function refuseUnseen(value: unknown): void {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) {
    const { type = "" } = value as Part
    const known = fields[type]?.split(" ") ?? []
    const unseen = Object.keys(value).filter((key) => key !== "type" && !known.includes(key))
    if (unseen.length > 0) throw new Error(`${type || "a part without type"}: nobody would see ${unseen.join(", ")}`)
    if (fields[type] === undefined) throw new Error(`${type} has no text`)
  }
  for (const inner of Object.values(value)) refuseUnseen(inner)
}

function titleLines({ type, title, submit, close }: Part): readonly string[] {
  if (title === undefined) return type === undefined ? [] : [`(${type})`, ""]
  const buttons = [submit, close].flatMap((label) => (label === undefined ? [] : [`[${words(label)}]`]))
  return [`(${type}) ${words(title)} ${buttons.join(" ")}`, ""]
}

/** What one sees of a block. */
function blockLines(block: Part): readonly string[] {
  const { type, text, elements = [], child_blocks: children = [] } = block
  if (type === "header") return [`# ${words(text)}`]
  if (type === "divider") return ["────"]
  if (type === "context") return elements.map((element) => `(${words(element)})`)
  if (type === "actions") return [elements.map(({ text: label }) => `[${words(label)}]`).join(" ")]
  if (type === "alert") return [`! ${words(text)}`]
  if (type === "input") return inputLines(block)
  if (type === "section") return [text, ...(block.fields ?? [])].flatMap((one) => (one ? words(one).split("\n") : []))
  if (type === "rich_text") return elements.flatMap(richLines)
  const mark = block.default_collapsed === true ? "▸" : "▾"
  return [`${mark} ${words(block.title)}`, ...children.flatMap(blockLines).map((line) => `  ${line}`)]
}

function richLines({ type, elements = [] }: Part): readonly string[] {
  if (type === "rich_text_list") return elements.flatMap(richLines).map((line) => `• ${line}`)
  const lines = elements.map(words).join("").split("\n")
  return type === "rich_text_preformatted" ? lines.map((line) => `| ${line}`) : lines
}

function inputLines({ label, hint, element = {}, optional }: Part): readonly string[] {
  const { options, initial_option: chosen, initial_value: start = "", placeholder } = element
  const gray = placeholder === undefined ? "" : `(${words(placeholder)})`
  // Slack takes only the very same option.
  const isChosen = (one: Part) => JSON.stringify(one) === JSON.stringify(chosen)
  const choices = options?.map((one) => `${isChosen(one) ? "(x)" : "( )"} ${words(one.text)}`)
  return [
    `${words(label)}${optional === true ? " (optional)" : ""}`,
    ...(choices ?? (start === "" ? gray : start).split("\n").map((line) => `[ ${line} ]`)),
    ...(hint === undefined ? [] : [`(${words(hint)})`]),
  ]
}

/** The words of a text, wherever it stands: our mentions, dates and links are told from what others wrote. */
function words(part: string | Part | undefined): string {
  if (part === undefined || typeof part === "string") return part ?? ""
  const { type, text = "", emoji, style } = part
  if (type === "user") return `<@${part.user_id}>`
  if (type === "usergroup") return `<@${part.usergroup_id}>`
  if (type === "channel") return `<#${part.channel_id}>`
  if (type === "link") return `<${words(text)}: ${part.url}>`
  if (type === "date") return dateWords(part)
  const marks =
    typeof style === "object"
      ? Object.entries(style).flatMap(([name, on]) => (on ? (styleMarks[name] ?? name) : []))
      : []
  const [, before, core, after] = /^(\s*)([^]*?)(\s*)$/.exec(words(text)) ?? []
  return [before, ...marks, core, ...marks.toReversed(), after, emoji === true ? " (emoji)" : ""].join("")
}

function dateWords({ timestamp = 0, format, fallback }: Part): string {
  const expected = `${new Date(timestamp * 1_000).toISOString().slice(0, 16).replace("T", " ")} UTC`
  return format === dateFormat && fallback === expected ? `<${expected}>` : `<${timestamp} ${format}, ${fallback}>`
}

/** What one does not see: the text for notifications, ids, and what each button carries. Values are written once. */
function behindLines(look: Part): readonly string[] {
  const { text, complete, callback_id: callback, private_metadata: note, blocks = [] } = look
  const inner = blocks.flatMap((block) => [block, ...(block.child_blocks ?? [])])
  const values = [...new Set(inner.flatMap(({ elements = [] }) => elements.flatMap(({ value }) => value ?? [])))]
  const ids = inner.flatMap(({ block_id: id }) => id ?? [])
  return [
    ...(text === undefined ? [] : [`text: ${words(text).replaceAll("\n", "\n      ")}`]),
    ...(complete === undefined ? [] : [`complete: ${complete}`]),
    ...(callback === undefined ? [] : [`callback: ${callback}`]),
    ...(note === undefined ? [] : [`note: ${note}`]),
    ...(ids.length === 0 ? [] : [`block ids: ${ids.join(" ")}`]),
    ...inner.flatMap((block) => behindBlock(block, values)),
    ...values.map((value, index) => `<${index + 1}> = ${value}`),
  ].map((line) => `    ${line}`)
}

function behindBlock(block: Part, values: readonly string[]): readonly string[] {
  const { type, element, elements = [], level, is_collapsible: folds, dispatch_action: sentAtOnce = false } = block
  if (type === "alert") return [`alert: ${level}`]
  if (type === "container") return [`container: ${folds === true ? "folds" : "stays open"}`]
  if (type === "input" && element !== undefined) return [`${inputBehind(element)}${sentAtOnce ? ", sent at once" : ""}`]
  return type === "actions" ? elements.map((button) => buttonBehind(button, values)) : []
}

function buttonBehind(button: Part, values: readonly string[]): string {
  const { text, action_id: action, value, style, accessibility_label: label, confirm } = button
  const carried = value === undefined ? [] : [`<${values.indexOf(value) + 1}>`]
  const styled = typeof style === "string" ? [style] : []
  const spoken = label === undefined ? [] : [`spoken as "${label}"`]
  return [`[${words(text)}] ${action}`, ...carried, ...styled, ...spoken, ...confirmWords(confirm)].join(", ")
}

function confirmWords(confirm: Part | undefined): readonly string[] {
  if (confirm === undefined) return []
  const { title, text, confirm: yes, deny, style } = confirm
  const styled = typeof style === "string" ? ` ${style}` : ""
  return [`asks "${words(title)}: ${words(text)}" [${words(yes)}]${styled} [${words(deny)}]`]
}

function inputBehind(element: Part): string {
  const { type, action_id: action, multiline, max_length: longest, options = [] } = element
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? []
  const values = options.map(({ value }) => value).join(" | ")
  return [
    `${type} ${action}`,
    ...(multiline === true ? ["several lines"] : []),
    ...(longest === undefined ? [] : [`at most ${longest}`]),
    ...triggers,
    ...(values === "" ? [] : [values]),
  ].join(", ")
}

/** Characters that one would not see, or that a file cannot hold, as their numbers. */
function printable(line: string): string {
  return line.replace(
    /\p{Cs}|\p{Cf}|\p{Cc}|[\u2028\u2029\u00a0]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  )
}
