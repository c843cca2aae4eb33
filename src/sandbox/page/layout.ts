// The whole page as one person sees it: channels with threads, ephemerals, the Home tab and the modal in front.
import type { Message } from "../messages.ts"
import type { SeenChannel, Snapshot } from "../snapshot.ts"
import type { OpenView } from "../views.ts"
import type { Workspace } from "../workspace.ts"
import { blocksHtml } from "./blocks.ts"
import { type Html, html } from "./html.ts"
import { mrkdwnHtml } from "./mrkdwn.ts"

/** The page's HTML. Elements with `data-part` are renewed by the script when they change; the others stay. */
export function pageHtml(workspace: Workspace, seen: Snapshot): string {
  const people = seen.people
    .filter((person) => !person.isBot)
    .map((person) => {
      const selected = person.id === seen.me.id ? html` selected` : undefined
      return html`<option value="${person.id}"${selected}>${person.name}</option>`
    })
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${workspace.team.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page.css"><script src="/page.js" defer></script></head>
<body data-person="${seen.me.id}">
<header><b>${workspace.team.name}</b> <label>You are <select id="person">${people}</select></label>
<button type="button" id="home">Open ${workspace.app.name}'s Home</button></header>
<p id="say" role="status"></p>
${noticesHtml(seen)}
${homeHtml(workspace, seen.home)}
${seen.channels.map((channel) => channelHtml(workspace, seen, channel))}
${modalHtml(workspace, seen.view)}
</body></html>`.html
}

function noticesHtml(seen: Snapshot): Html {
  const last = seen.notices.slice(-3)
  return html`<div id="notices" data-part>${last.map((notice) => html`<p class="notice">⚠ ${notice.text}</p>`)}</div>`
}

function homeHtml(workspace: Workspace, view: OpenView | null): Html {
  const inside = view && blocksHtml({ workspace, place: view.id, errors: view.errors }, view.definition.blocks)
  return html`<section id="home-tab" data-part>${inside ? html`<h2>Home</h2>${inside}` : undefined}</section>`
}

function channelHtml(workspace: Workspace, seen: Snapshot, { channel, messages }: SeenChannel): Html {
  const mine = seen.ephemerals.filter((message) => message.channelId === channel.id)
  const name = channel.kind === "im" ? channel.name : `#${channel.name}`
  return html`<section class="channel"><h2>${name}</h2>
<div id="channel-${channel.id}" data-part>
${messages.map(({ message, replies }) => threadHtml(workspace, message, replies))}
${mine.map((message) => html`<article class="ephemeral"><small>Only visible to you</small>${bodyHtml(workspace, message)}</article>`)}
</div>
<form data-command="${channel.id}"><input name="line" placeholder="/approvals" aria-label="Command in ${name}">
<button>Send</button></form></section>`
}

function threadHtml(workspace: Workspace, message: Message, replies: readonly Message[]): Html {
  const thread = replies.map((reply) => html`<article>${bodyHtml(workspace, reply)}</article>`)
  return html`<article>${bodyHtml(workspace, message)}
${replies.length > 0 && html`<div class="thread">${thread}</div>`}</article>`
}

function bodyHtml(workspace: Workspace, message: Message): Html {
  const author = workspace.people.get(message.authorId)?.name ?? message.authorId
  const place = { channel: message.channelId, ts: message.ts }
  const content =
    message.blocks.length > 0
      ? blocksHtml({ workspace, place, errors: {} }, message.blocks)
      : html`<p>${mrkdwnHtml(workspace, message.text)}</p>`
  return html`<small><b>${author}</b> ${clockTime(message.ts)}</small>${content}`
}

function modalHtml(workspace: Workspace, view: OpenView | null): Html {
  if (view?.definition.type !== "modal") return html`<div id="modal" data-part></div>`
  const { title, submit, close, blocks } = view.definition
  return html`<div id="modal" data-part><form class="modal" role="dialog" aria-label="${title.text}" data-view="${view.id}" novalidate>
<h2>${title.text}</h2>${blocksHtml({ workspace, place: view.id, errors: view.errors }, blocks)}
<footer><button type="button" data-close="${view.id}">${close?.text ?? "Close"}</button>
${submit && html`<button class="primary">${submit.text}</button>`}</footer></form></div>`
}

function clockTime(ts: string): string {
  return new Date(Number(ts) * 1000).toISOString().slice(11, 19)
}
