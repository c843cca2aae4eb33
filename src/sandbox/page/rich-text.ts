// Shows rich_text blocks.
import type { RichInline, RichPart } from "../../blockkit/schema/rich-text.ts"
import type { Workspace } from "../workspace.ts"
import { type Html, html } from "./html.ts"
import { linkHtml, literalHtml } from "./mrkdwn.ts"

/** The parts of a rich_text block as HTML. */
export function richTextHtml(workspace: Workspace, parts: readonly RichPart[]): Html {
  return html`${parts.map((part) => partHtml(workspace, part))}`
}

function partHtml(workspace: Workspace, part: RichPart): Html {
  switch (part.type) {
    case "rich_text_section":
      return html`<p>${inlines(workspace, part.elements)}</p>`
    case "rich_text_preformatted":
      return html`<pre>${inlines(workspace, part.elements)}</pre>`
    case "rich_text_quote":
      return html`<blockquote>${inlines(workspace, part.elements)}</blockquote>`
    case "rich_text_list":
      return html`<ul class="${part.style}">${part.elements.map((item) => html`<li>${inlines(workspace, item.elements)}</li>`)}</ul>`
  }
}

function inlines(workspace: Workspace, elements: readonly RichInline[]): readonly Html[] {
  return elements.map((element) => inlineHtml(workspace, element))
}

function inlineHtml(workspace: Workspace, element: RichInline): Html {
  switch (element.type) {
    case "text":
      return html`<span class="${Object.keys(element.style ?? {}).join(" ")}">${literalHtml(element.text)}</span>`
    case "link":
      return linkHtml(element.url, element.text ?? element.url)
    case "user":
      return html`<span class="mention">@${workspace.people.get(element.user_id)?.name ?? element.user_id}</span>`
    case "channel":
      return html`<span class="mention">#${workspace.channels.get(element.channel_id)?.name ?? element.channel_id}</span>`
    case "usergroup":
      return html`<span class="mention">@${workspace.groups.get(element.usergroup_id)?.handle ?? element.usergroup_id}</span>`
    case "team":
      return html`<span class="mention">${element.team_id}</span>`
    case "broadcast":
      return html`<span class="mention">@${element.range}</span>`
    case "emoji":
      return html`:${element.name}:`
    case "date":
      return html`${element.fallback ?? new Date(element.timestamp * 1000).toISOString()}`
  }
}
