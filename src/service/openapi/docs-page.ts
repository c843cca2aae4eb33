// The interface description as a page for people: no scripts, nothing from elsewhere.
import { isJsonObject, type JsonObject } from "../wire/exact-json.ts"

const style =
  "body{font:16px/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}code{font-family:ui-monospace,monospace}" +
  "li{margin:.3rem 0}.method{display:inline-block;min-width:4.5rem;font-weight:600}"

/** The page of a document. */
export function docsPage(document: JsonObject): string {
  const byTag = new Map<string, string[]>()
  for (const { method, path, operation } of operationsIn(document)) {
    const [tag = ""] = Array.isArray(operation["tags"]) ? operation["tags"].map(textOf) : []
    const line = `<li><code><span class="method">${method}</span> ${escape(path)}</code> ${escape(textOf(operation["summary"]))}</li>`
    byTag.set(tag, [...(byTag.get(tag) ?? []), line])
  }
  const groups = [...byTag].map(([tag, lines]) => `<h2>${escape(tag)}</h2><ul>${lines.join("")}</ul>`).join("")
  const info = isJsonObject(document["info"]) ? document["info"] : {}
  const title = escape(`${textOf(info["title"])} ${textOf(info["version"])}`)
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${title}</title><style>${style}</style></head><body><h1>${title}</h1>` +
    `<p>The whole description with all models: <a href="openapi.json">openapi.json</a></p>${groups}</body></html>`
  )
}

type Listed = { readonly method: string; readonly path: string; readonly operation: JsonObject }

function operationsIn({ paths }: JsonObject): readonly Listed[] {
  if (!isJsonObject(paths)) return []
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isJsonObject(methods) ? methods : {}).flatMap(([method, operation]) =>
      isJsonObject(operation) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
