// Builds HTML in which every text is escaped unless it is HTML already.

/** A piece of finished HTML. */
export interface Html {
  readonly html: string
}

/** What may stand in a template: text is escaped, HTML is not, nothing is left out. */
export type Part = string | number | Html | readonly Html[] | undefined | false

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Text made safe for element content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** A template tag: html`<p title="${text}">${more}</p>`. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((fixed, index) => fixed + render(parts[index])).join("") }
}

function render(part: Part): string {
  if (part === undefined || part === false) return ""
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part))
  return "html" in part ? part.html : part.map((piece) => piece.html).join("")
}
