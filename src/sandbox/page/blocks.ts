// Shows blocks of messages, modals and Home tabs.
import type { Block } from "../../blockkit/schema/blocks.ts"
import type { InteractiveElement } from "../../blockkit/schema/elements.ts"
import type { ClickPlace } from "../clicks.ts"
import type { Workspace } from "../workspace.ts"
import { controlHtml } from "./controls.ts"
import { type Html, html } from "./html.ts"
import { literalHtml, mrkdwnHtml } from "./mrkdwn.ts"
import { richTextHtml } from "./rich-text.ts"

/** Where the blocks stand, and what the app said is wrong with them. */
export interface BlockContext {
  readonly workspace: Workspace
  readonly place: ClickPlace
  readonly errors: Readonly<Record<string, string>>
}

type TextObject = { readonly type: "plain_text" | "mrkdwn"; readonly text: string }
type OfType<T extends Block["type"]> = Extract<Block, { type: T }>

/** The blocks as HTML. */
export function blocksHtml(context: BlockContext, blocks: readonly Block[]): Html {
  return html`${blocks.map((block) => blockHtml(context, block))}`
}

function blockHtml(context: BlockContext, block: Block): Html {
  switch (block.type) {
    case "section":
      return sectionHtml(context, block)
    case "header":
      return html`<h3>${block.text.text}</h3>`
    case "divider":
      return html`<hr>`
    case "context":
      return html`<p class="context">${block.elements.map((element) => contextHtml(context, element))}</p>`
    case "actions":
      return html`<div class="actions">${block.elements.map((element) => press(context, block, element))}</div>`
    case "input":
      return inputHtml(context, block)
    case "image":
      return html`<p class="image">[image: ${block.alt_text}]</p>`
    case "rich_text":
      return richTextHtml(context.workspace, block.elements)
    case "markdown":
      return html`<p>${literalHtml(block.text)}</p>`
    case "table":
      return tableHtml(context, block)
    case "alert":
      return html`<p class="alert ${block.level ?? "default"}" role="alert">${textHtml(context, block.text)}</p>`
    case "container":
      return containerHtml(context, block)
  }
}

function textHtml({ workspace }: BlockContext, text: TextObject): Html {
  return text.type === "mrkdwn" ? mrkdwnHtml(workspace, text.text) : literalHtml(text.text)
}

function contextHtml(context: BlockContext, element: OfType<"context">["elements"][number]): Html {
  if (element.type === "image") return html`<span>[${element.alt_text}]</span>`
  return html`<span>${textHtml(context, element)}</span> `
}

function sectionHtml(context: BlockContext, block: OfType<"section">): Html {
  const fields = (block.fields ?? []).map((field) => html`<div>${textHtml(context, field)}</div>`)
  const { accessory } = block
  const beside =
    accessory && (accessory.type === "image" ? html`[${accessory.alt_text}]` : press(context, block, accessory))
  return html`<div class="section"><div>${block.text && textHtml(context, block.text)}
    <div class="fields">${fields}</div></div>${beside}</div>`
}

function press(context: BlockContext, block: Block, element: InteractiveElement): Html {
  const click = { place: context.place, action: element.action_id, block: block.block_id }
  return controlHtml(context.workspace, element, { kind: "press", click })
}

function inputHtml(context: BlockContext, block: OfType<"input">): Html {
  const name = `${block.block_id}/${block.element.action_id}`
  const error = context.errors[block.block_id ?? ""]
  return html`<label class="input">${block.label.text}${block.optional ? " (optional)" : ""}
    ${controlHtml(context.workspace, block.element, { kind: "field", name })}
    ${block.hint && html`<small>${block.hint.text}</small>`}
    ${error !== undefined && html`<strong class="error" role="alert">${error}</strong>`}</label>`
}

function tableHtml(context: BlockContext, block: OfType<"table">): Html {
  const cell = (content: OfType<"table">["rows"][number][number]) =>
    html`<td>${content.type === "rich_text" ? richTextHtml(context.workspace, content.elements) : content.text}</td>`
  return html`<table>${block.rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</table>`
}

function containerHtml(context: BlockContext, block: OfType<"container">): Html {
  const title = block.rich_text_title
    ? richTextHtml(context.workspace, block.rich_text_title.elements)
    : block.title?.text
  const inside = blocksHtml(context, block.child_blocks)
  const subtitle = block.subtitle && textHtml(context, block.subtitle)
  if (!block.is_collapsible) return html`<div class="container"><b>${title}</b> ${subtitle}${inside}</div>`
  const open = block.default_collapsed ? undefined : html` open`
  return html`<details class="container"${open}><summary>${title} ${subtitle}</summary>${inside}</details>`
}
