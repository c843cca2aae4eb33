// What the page says of a receipt: what it proves, how to check it without us, and the signed text itself.
import { html } from "hono/html"
import type { ReceiptClaims, ReceiptVote } from "../../domain/case/receipt.ts"
import type { ToldCase } from "../reading/models.ts"
import { timeOf } from "../reading/telling.ts"
import type { Names } from "./names.ts"
import type { ShownReceipt } from "./receipt.ts"
import { type Fact, factList, forWords, type Html, listed, moment, namedInFull, shown } from "./shown.ts"
import { counted, past } from "./words.ts"

/** All that the page says of a receipt. `told`: the case that it belongs to. */
export function receiptWords(receipt: ShownReceipt, told: ToldCase, names: Names): Html {
  const { jws, verdict } = receipt
  const said = verdict.ok ? factList(claimed(verdict.claims, told, names)) : ""
  return html`${verdict.ok ? verified(verdict.kid) : html`<p class="problem">Not verified: ${shown(verdict.why)}</p>`}
${said}
${inLedger(receipt)}
${verdict.ok ? howToCheck : ""}
<details><summary>The signed text</summary><pre class="jws">${jws}</pre></details>`
}

function verified(kid: string): Html {
  return html`<p><span class="state good">Verified</span> Countersign signed this text when this was decided. It
proves that to anybody, also without this page. Signed by key <code>${kid}</code> of this installation.</p>`
}

function claimed(claims: ReceiptClaims, told: ToldCase, names: Names): readonly Fact[] {
  const { verdict, at, votes, glass } = claims
  const how = glass === true ? html`, <strong>by breaking glass</strong>` : ""
  return [
    { name: "It says", value: html`${past(verdict)}${how}, ${moment(timeOf(at))}` },
    {
      name: "Decided by",
      value: votes.length === 0 ? html`nobody in time` : listed(votes.map((vote) => signer(vote, names))),
    },
    { name: "About", value: about(claims, told) },
    ...gateFacts(claims),
  ]
}

/** Who voted, also by what an auditor finds them elsewhere. */
function signer({ person, subject, calledBack, for: away = [] }: ReceiptVote, names: Names): Html {
  const how = calledBack === true ? ", who had asked for it and called it back" : ""
  const account = html`<span class="quiet small">${shown(subject)}</span>`
  return html`${namedInFull(person, names)} ${account}${forWords(away, names)}${how}`
}

function about({ approval, revision, digest }: ReceiptClaims, told: ToldCase): Html {
  const same = digest === told.digest ? "whose digest stands below" : html`whose digest is <code>${digest}</code>`
  const which = approval === told.approval ? "this approval" : html`approval <code>${shown(approval)}</code>`
  return html`revision ${revision} of ${which}, ${same}`
}

/** Until when the calls of an approval may begin; none for a rejection. */
function gateFacts({ calls = [], expires, sandbox }: ReceiptClaims): readonly Fact[] {
  if (expires === undefined) return []
  const gate = sandbox ? "that takes demos" : "if there is one"
  const value = html`A gate before the tool, ${gate}, lets its ${counted(calls.length, "call")} begin until
${moment(timeOf(expires))}`
  return [{ name: "Good until", value }]
}

function inLedger({ entry, hash }: ShownReceipt): Html {
  if (entry === null) return html`<p class="problem">No entry of the ledger tells of this decision.</p>`
  if (!entry.names)
    return html`<p class="problem">Entry ${entry.number} of the ledger names another receipt: this is not the one that
was signed then.</p>`
  return html`<p>Entry ${entry.number} of the ledger names it by its hash (SHA-256 of the signed text):
<code>${hash}</code></p>`
}

const howToCheck = html`<p>To check it yourself, save the signed text as <code>receipt.txt</code> and
<a href="/.well-known/jwks.json">the public keys</a> as <code>keys.json</code>, and run:</p>
<pre>countersign receipt verify receipt.txt <span class="whole">--keys keys.json</span></pre>
<p class="note">The command asks neither this bot nor Slack. Its documentation (docs/receipts.md) has a short program
that does the same without anything of Countersign.</p>`
