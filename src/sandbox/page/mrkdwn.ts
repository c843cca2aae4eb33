// Shows Slack's mrkdwn: mentions by name, links with their address, bold, italic and code.
import type { Workspace } from "../workspace.ts"
import { escapeHtml, type Html, html } from "./html.ts"

/** The text as HTML. Slack's entities are undone first; everything else is escaped. */
export function mrkdwnHtml(workspace: Workspace, text: string): Html {
  const pieces = text.split(/<([^<>]+)>/)
  return {
    html: pieces.map((piece, index) => (index % 2 === 0 ? styled(piece) : markup(workspace, piece).html)).join(""),
  }
}

/** Literal text as HTML, with its line breaks. */
export function literalHtml(text: string): Html {
  return { html: escapeHtml(text).replaceAll("\n", "<br>") }
}

function styled(text: string): string {
  return escapeHtml(unescapeSlack(text))
    .replace(/```([\s\S]+?)```/g, "<pre>$1</pre>")
    .replace(/`([^`\n]+)`/g, "<code>$1</code>")
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, "<b>$1</b>")
    .replace(/(?<![\w_])_([^_\n]+)_(?![\w_])/g, "<i>$1</i>")
    .replaceAll("\n", "<br>")
}

function markup(workspace: Workspace, inner: string): Html {
  const [target = "", label] = inner.split("|", 2).map(unescapeSlack)
  const id = target.slice(1)
  if (target.startsWith("@"))
    return html`<span class="mention">@${workspace.people.get(id)?.name ?? label ?? id}</span>`
  if (target.startsWith("#"))
    return html`<span class="mention">#${workspace.channels.get(id)?.name ?? label ?? id}</span>`
  if (target.startsWith("!subteam^")) {
    const group = workspace.groups.get(target.slice("!subteam^".length))
    return html`<span class="mention">@${group?.handle ?? label ?? target}</span>`
  }
  if (target.startsWith("!")) return html`<span class="mention">${label ?? `@${id}`}</span>`
  return linkHtml(target, label ?? target)
}

/** A link, if the address is http or https; else its text. */
export function linkHtml(address: string, label: string): Html {
  if (!/^https?:\/\//i.test(address)) return html`${label}`
  return html`<a href="${address}" title="${address}" rel="noreferrer noopener" target="_blank">${label}</a>`
}

function unescapeSlack(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
}
