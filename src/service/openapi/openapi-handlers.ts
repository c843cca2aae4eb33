// GET /openapi.json and GET /docs.
import type { Handlers } from "../handler.ts"
import type { Parts } from "../parts.ts"
import { answer, type Reply } from "../wire/reply.ts"
import { docsPage } from "./docs-page.ts"
import { openApiDocument } from "./document.ts"

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
}

/** Handlers of the two public routes. The document is made once, when somebody first asks for it. */
export function openApiHandlers({ settings }: Parts): Handlers {
  let made: { readonly json: Reply; readonly page: Reply } | null = null
  const make = (): { readonly json: Reply; readonly page: Reply } => {
    const document = openApiDocument(settings.a2aPrefix)
    return { json: answer(document), page: { status: 200, text: docsPage(document), headers } }
  }
  return {
    "GET /openapi.json": () => (made ??= make()).json,
    "GET /docs": () => (made ??= make()).page,
  }
}
