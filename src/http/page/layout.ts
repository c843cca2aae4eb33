// The frame of every page, the page to sign in, and headers that let pages do nothing but show.
import type { Context } from "hono"
import { html } from "hono/html"
import type { HttpReply } from "../reply.ts"
import { type Html, moment, shown } from "./shown.ts"
import { frameWords } from "./words.ts"

/** Allows no script, nothing from elsewhere, no framing, and no form that leads away. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** The headers of every answer of the page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
}

interface Frame {
  readonly title: string
  readonly installation: string
  /** True: the page has a button to sign out. */
  readonly signedIn: boolean
  /** When the shown state was true, epoch ms. A printed page has no other date. */
  readonly at: number
  readonly body: Html
}

/** Answers with a page. */
export async function page(context: Context, status: HttpReply["status"], frame: Frame): Promise<Response> {
  return context.html(await framed(frame), status, { ...pageHeaders })
}

function framed({ title, installation, signedIn, at, body }: Frame): Html {
  const button = html`<button class="plain">${frameWords.signOut}</button>`
  const out = html`<form method="post" action="/page/sign-out">${button}</form>`
  const home = html`<a class="home" href="/page">Countersign</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Countersign</title>
<link rel="icon" type="image/svg+xml" href="/page/icon.svg">
<link rel="stylesheet" href="/page/style.css">
</head>
<body>
<header>${home} <span class="quiet">${installation}</span> ${signedIn ? out : ""}</header>
<main>
${body}
</main>
<footer>${frameWords.asOf} ${moment(new Date(at).toISOString())}</footer>
</body>
</html>
`
}

/** The body of the page to sign in. `problem`: why a token was refused, else "". `to`: the page that was asked for. */
export function signInPage(problem: string, to: string): Html {
  return html`<h1>${frameWords.signIn}</h1>
${problem === "" ? "" : html`<p class="problem" role="alert">${shown(problem)}</p>`}
<form class="sign-in" method="post" action="/page/sign-in">
<label>${frameWords.token}
<input type="password" name="token" autocomplete="off" spellcheck="false" required autofocus></label>
<input type="hidden" name="to" value="${to}">
<button>${frameWords.signIn}</button>
</form>
<p class="quiet">${frameWords.tokenIs}</p>`
}
