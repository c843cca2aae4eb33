// The page where somebody signs in with a read token.
import { html } from "hono/html"
import { type Html, shown } from "./shown.ts"

/** The body of the page; `problem` is "" unless a token was refused, `to` is where somebody wanted to go. */
export function signInPage(problem: string, to: string): Html {
  return html`<h1>Sign in</h1>
${problem === "" ? "" : html`<p class="problem" role="alert">${shown(problem)}</p>`}
<form class="sign-in" method="post" action="/page/sign-in">
<label>Read token <input type="password" name="token" autocomplete="off" spellcheck="false" required autofocus></label>
<input type="hidden" name="to" value="${to}">
<button>Sign in</button>
</form>
<p class="quiet">A JWT with the scope cases:read. This browser keeps it until it ends, and no longer than eight hours.</p>`
}
