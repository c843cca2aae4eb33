// Adds knowledge: a text, a file, or what is at an allowed address, which we fetch and add later.
import type { z } from "zod"
import { rowView } from "../collections/collection-handlers.ts"
import type { HandlerRequest, ServiceParts } from "../handler.ts"
import { type contentForm, knowledgeContent, type remoteForm } from "../resources/knowledge-content.ts"
import type { CheckedRequest, WithBody } from "../route.ts"
import { isJsonObject, parseExact, type WireObject } from "../wire/exact-json.ts"
import type { Uploaded } from "../wire/read-request.ts"
import { answer, refuse, type ServiceReply } from "../wire/reply.ts"
import { addressUnder, decoded, type Fetched, fetchText, readText } from "./fetch-text.ts"
import { announceContent, type Content, failContent, fillContent, type NewContent } from "./keep-content.ts"
import { allowedAddress, type KnowledgeSource } from "./sources.ts"

/** Content as the wire shows it. */
export function contentView(content: Content): Record<string, unknown> {
  return { ...rowView(knowledgeContent, content), size: String(content.size), linked_to: null, access_count: null }
}

/** Says why we cannot read a text as the request wants, or null. There is one reader, and one way to cut. */
export function readerOf(told: { readonly reader_id?: string | undefined; readonly chunker?: string | undefined }) {
  if ((told.reader_id ?? "text") !== "text") return `Invalid reader_id: ${told.reader_id}; there is 'text'`
  return (told.chunker ?? "paragraph") === "paragraph" ? null : `Invalid chunker: ${told.chunker}; there is 'paragraph'`
}

/** Answers `POST /knowledge/content`. */
export async function addContent(
  parts: ServiceParts,
  request: CheckedRequest<unknown, Uploaded<z.output<typeof contentForm>>>,
): Promise<ServiceReply> {
  const { fields, file } = request.body
  const obstacle = readerOf(fields)
  if (obstacle !== null) return refuse(400, obstacle)
  const { text_content: text = "", url = "" } = fields
  const told = toldOf(fields, request)
  if (text !== "") return kept(parts, told(null, text), { ok: true, text, type: "manual" })
  if (file !== null) {
    const read = decoded(new Uint8Array(await file.arrayBuffer()), file.type === "" ? "text/plain" : file.type)
    return read.ok ? kept(parts, told(file.name, read.text), read) : refuse(400, `${file.name}: ${read.why}`)
  }
  if (url.trim() === "") return refuse(400, "Provide a file, text_content, or URL to upload.")
  const address = allowedAddress(parts.settings.knowledgeSources, url.trim())
  if (address === null) return refuse(403, `${url.trim()} is not under an address that this instance may fetch from`)
  const content = announceContent(parts, { ...told(address.href, address.href), origin: address.href })
  fetchSoon(parts, content, () => fetchText(address, parts.settings.maxBodyBytes))
  return answer(contentView(content), 202)
}

/** Answers `POST /knowledge/remote-content`. */
export function addRemoteContent(parts: ServiceParts, request: WithBody<typeof remoteForm>): ServiceReply {
  const fields = request.body
  const { config_id: sourceId, path, source_params: params = "" } = fields
  const source = parts.settings.knowledgeSources.find(({ id }) => id === sourceId)
  if (source === undefined) {
    return refuse(400, `Unknown content source: ${sourceId}. Check /knowledge/config for available sources.`)
  }
  const obstacle = readerOf(fields) ?? obstacleIn(path, params)
  if (obstacle !== null) return refuse(400, obstacle)
  const fetching = fetchingOf(source, path, parts.settings.maxBodyBytes)
  if (fetching === null) return refuse(400, `${path} is not under source ${sourceId}`)
  const origin = `${sourceId}:${path}`
  const content = announceContent(parts, { ...toldOf(fields, request)(path, origin), origin })
  fetchSoon(parts, content, fetching)
  return answer(contentView(content), 202)
}

function obstacleIn(path: string, params: string): string | null {
  if (params !== "") return "Sources here do not accept source_params."
  return path === "" || path.endsWith("/")
    ? "path: expected the path of a file; folders are not added as a whole"
    : null
}

function fetchingOf(source: KnowledgeSource, path: string, maxBytes: number): (() => Promise<Fetched>) | null {
  if (source.type === "folder") return () => readText(source.folder, path, maxBytes)
  const address = addressUnder(source, path)
  return address === null ? null : () => fetchText(address, maxBytes)
}

type Told = Pick<z.output<typeof contentForm>, "name" | "description" | "metadata">

/** What a request says about content. `fallback` is its name if the request has none. `source`: see `NewContent`. */
function toldOf(
  { name, description, metadata }: Told,
  { standing }: HandlerRequest,
): (fallback: string | null, source: string) => NewContent {
  return (fallback, source) => ({
    name: name === undefined || name === "" ? fallback : name,
    description: description ?? null,
    // Any other text is kept as a value, as in the real service.
    metadata: metadata === undefined || metadata === "" ? null : { ...(objectIn(metadata) ?? { value: metadata }) },
    origin: null,
    userId: standing.owner,
    source,
  })
}

/** The object that a JSON text holds; null if it is no JSON object. */
export function objectIn(text: string): WireObject | null {
  try {
    const value = parseExact(text)
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

function kept(parts: ServiceParts, told: NewContent, { text, type }: Extract<Fetched, { ok: true }>): ServiceReply {
  const content = announceContent(parts, told)
  return answer(contentView(fillContent(parts, content.id, text, type) ?? content), 202)
}

/** Fetches the text, while nobody waits. The status of the content says how it went. */
function fetchSoon(parts: ServiceParts, { id }: Content, fetching: () => Promise<Fetched>): void {
  const fill = async (): Promise<void> => {
    const fetched = await fetching()
    if (!parts.database.isOpen) return // the service was closed meanwhile: `failCutOff` notes that later
    if (fetched.ok) fillContent(parts, id, fetched.text, fetched.type)
    else failContent(parts, id, fetched.why)
  }
  parts.later.begin(`content ${id}`, fill, (why) => failContent(parts, id, why))
}
