// Knowledge: adding, showing, searching and changing content, and the sources that there are.

import { z } from "zod"
import { changedBy, collectionRoutes, rowToChange, seenBy } from "../collections/collection-handlers.ts"
import type { Answering, HandlerRequest, ServiceParts } from "../handler.ts"
import type { SqlCondition } from "../resources/conditions.ts"
import {
  contentChangeForm,
  contentForm,
  contentRow,
  filesQuery,
  knowledgeConfig,
  knowledgeContent,
  knowledgeFound,
  knowledgeId,
  knowledgeSource,
  remoteForm,
  searchBody,
  sourceFiles,
} from "../resources/knowledge-content.ts"
import { type CheckedRequest, routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import { textOf } from "../storage/columns.ts"
import { deleteRows, findRow, toWhere, updateRow } from "../storage/resource-store.ts"
import type { WireObject } from "../wire/exact-json.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { formBody, jsonBody, uploadBody } from "../wire/read-request.ts"
import { answer, meta, refuse, type ServiceReply } from "../wire/reply.ts"
import { addContent, addRemoteContent, contentView, objectIn, readerOf } from "./add-content.ts"
import { listFolder } from "./fetch-text.ts"
import { failCutOff } from "./keep-content.ts"
import { searchPieces } from "./search-knowledge.ts"
import type { KnowledgeSource } from "./sources.ts"

const route = routesOf(knowledgeContent.tag)
const [read, write, erase] = ["knowledge:read", "knowledge:write", "knowledge:delete"]

/** Under user isolation, callers who are not admin see content that is theirs or nobody's, and change only theirs. */
export const knowledgeRoutes: readonly ServiceRoute[] = [
  ...collectionRoutes(knowledgeContent, { show: contentView }).map((kept) => ({
    ...kept,
    handler: (parts: ServiceParts, request: CheckedRequest) => {
      failCutOff(parts)
      return kept.handler(parts, request)
    },
  })),
  route("GET /knowledge/content/*/status", read, {
    id: "get_content_status",
    summary: "Whether content has come",
    isOwn: true,
    reply: namedObject("KnowledgeContentState", {
      ...contentRow.pick({ id: true, status: true }).shape,
      status_message: z.string(),
    }),
    handler: contentStatus,
  }),
  route("POST /knowledge/content", write, {
    id: "upload_content",
    summary: "Add content: a text, a file, or what stands at an address",
    body: uploadBody(contentForm),
    status: 202,
    reply: knowledgeContent.model,
    handler: addContent,
  }),
  route("POST /knowledge/remote-content", write, {
    id: "upload_remote_content",
    summary: "Add content of a source",
    body: formBody(remoteForm),
    status: 202,
    reply: knowledgeContent.model,
    handler: addRemoteContent,
  }),
  route("PATCH /knowledge/content/*", write, {
    id: "update_content",
    summary: "Update content",
    body: formBody(contentChangeForm),
    reply: knowledgeContent.model,
    handler: changeContent,
  }),
  route("DELETE /knowledge/content/*", erase, {
    id: "delete_content_by_id",
    summary: "Delete content",
    reply: namedObject("KnowledgeContentDeleted", { id: z.string() }),
    handler: removeContent,
  }),
  route("DELETE /knowledge/content", erase, {
    id: "delete_all_content",
    summary: "Delete all content",
    reply: named("KnowledgeCleared", z.literal("success")),
    handler: ({ database }, { standing }) => {
      deleteRows(database, knowledgeContent, changedBy(knowledgeContent, standing.owner))
      return answer("success")
    },
  }),
  route("POST /knowledge/search", read, {
    id: "search_knowledge",
    summary: "Search knowledge by words",
    body: jsonBody(searchBody),
    reply: named("KnowledgeFoundList", pageOf(knowledgeFound)),
    refusals: [400, 404],
    handler: searchKnowledge,
  }),
  route("GET /knowledge/config", read, {
    id: "get_knowledge_config",
    summary: "View knowledge config",
    reply: knowledgeConfig,
    handler: (parts, { standing }) => answer(knowledgeConfigView(parts, standing.owner)),
  }),
  route("GET /knowledge/*/sources", read, {
    id: "list_content_sources",
    summary: "List knowledge sources",
    reply: named("KnowledgeSources", z.array(knowledgeSource)),
    handler: (parts, { ids: [id = ""] }) => knowledgeGone(id) ?? answer(sourcesView(parts)),
  }),
  route("GET /knowledge/*/sources/*/files", read, {
    id: "list_source_files",
    summary: "List files in a source",
    query: filesQuery,
    reply: sourceFiles,
    refusals: [400],
    handler: files,
  }),
]

function contentStatus(parts: ServiceParts, { ids: [id = ""], standing }: HandlerRequest): ServiceReply {
  failCutOff(parts)
  const row = findRow(parts.database, knowledgeContent, id, seenBy(knowledgeContent, standing.owner))
  if (row === null) return refuse(404, knowledgeContent.notFound(id))
  return answer({ id: row.id, status: row.status, status_message: row.status_message ?? "" })
}

function changeContent(parts: ServiceParts, request: WithBody<typeof contentChangeForm>): ServiceReply {
  const { name, description, metadata } = request.body
  const obstacle = readerOf(request.body)
  if (obstacle !== null) return refuse(400, obstacle)
  const isTold = metadata !== undefined && metadata.trim() !== ""
  const told = isTold ? objectIn(metadata) : null
  if (isTold && told === null) return refuse(400, "Invalid JSON format for metadata: expected an object")
  const found = rowToChange(parts, knowledgeContent, request)
  if (!found.ok) return found.reply
  const row = {
    ...found.value,
    name: name === undefined || name.trim() === "" ? found.value.name : name,
    description: description === undefined || description.trim() === "" ? found.value.description : description,
    metadata: told ?? found.value.metadata,
    updated_at: parts.clock(),
  }
  updateRow(parts.database, knowledgeContent, row.id, row)
  return answer(contentView(row))
}

function removeContent(parts: ServiceParts, request: HandlerRequest): ServiceReply {
  const found = rowToChange(parts, knowledgeContent, request)
  if (!found.ok) return found.reply
  deleteRows(parts.database, knowledgeContent, [{ sql: "id = ?", values: [found.value.id] }])
  return answer({ id: found.value.id })
}

function searchKnowledge(parts: ServiceParts, { body, standing }: WithBody<typeof searchBody>): ServiceReply {
  const { query, search_type: type, knowledge_id: id, max_results: most, filters, meta: paging } = body
  if (type && type !== "keyword") {
    return refuse(400, `Search type ${type} is not here: this instance searches by keyword`)
  }
  const gone = id ? knowledgeGone(id) : null
  if (gone !== null) return gone
  // SQLite allows expressions a thousand levels deep.
  if (Object.keys(filters ?? {}).length > 100) return refuse(400, "filters: 100 at most")
  const wanted = filterConditions(filters ?? {})
  if (wanted === null) return refuse(400, "filters: expected texts, numbers and truth values by their keys in metadata")
  const { limit = 20, page = 1 } = paging ?? {}
  const begun = parts.clock()
  const conditions = [...wanted, ...seenBy(knowledgeContent, standing.owner)]
  const found = searchPieces(parts.database, { words: query, conditions, most: most ?? 1000, limit, page })
  return answer({ data: found.data, meta: meta(page, limit, found.total, parts.clock() - begun) })
}

/** The conditions for filters: each is a key of the metadata with the value that it must have. Null: wrong type. */
function filterConditions(filters: WireObject): readonly SqlCondition[] | null {
  const given = Object.entries(filters)
  const isPlain = given.every(([, value]) => ["string", "number", "boolean"].includes(typeof value))
  if (!isPlain) return null
  const sql = "EXISTS (SELECT 1 FROM json_each(content.metadata) AS entry WHERE entry.key = ? AND entry.value = ?)"
  return given.map(([key, value]) => ({
    sql,
    values: [key, typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : String(value)],
  }))
}

const reader = {
  id: "text",
  name: "Text",
  description: "Reads texts in UTF-8.",
  chunkers: ["paragraph"],
  content_types: ["text"],
  unavailable_content_types: null,
}
const chunker = {
  key: "paragraph",
  name: "Paragraphs",
  description: "Keeps paragraphs together, as far as they fit.",
  metadata: {},
}

function knowledgeConfigView(parts: ServiceParts, owner: string | null): Record<string, unknown> {
  return {
    readers: { text: reader },
    readersForType: { text: ["text"] },
    chunkers: { paragraph: chunker },
    filters: filterKeys(parts, owner),
    vector_dbs: [],
    remote_content_sources: sourcesView(parts),
    unavailable_readers: null,
    unavailable_chunkers: null,
  }
}

function filterKeys({ database }: ServiceParts, owner: string | null): readonly string[] {
  const { where, values } = toWhere(seenBy(knowledgeContent, owner))
  return database
    .prepare(
      `SELECT DISTINCT entry.key AS name FROM knowledge_content, json_each(metadata) AS entry ${where} ORDER BY 1`,
    )
    .all(...values)
    .map((row) => textOf(row, "name"))
}

function sourcesView({ settings }: ServiceParts): readonly Record<string, unknown>[] {
  return settings.knowledgeSources.map((source) => ({
    id: source.id,
    name: source.id,
    type: source.type,
    metadata: null,
    prefix: source.type === "http" ? source.base.href : null,
  }))
}

function files(parts: ServiceParts, { ids, query }: WithQuery<typeof filesQuery>): Answering {
  const [id = "", sourceId = ""] = ids
  const gone = knowledgeGone(id)
  if (gone !== null) return gone
  const source = parts.settings.knowledgeSources.find((one) => one.id === sourceId)
  if (source === undefined) return refuse(404, `Content source not found: ${sourceId}`)
  return source.type === "http"
    ? refuse(400, "Source type 'http' does not support file listing.")
    : filesReply(source, query)
}

async function filesReply(
  source: Extract<KnowledgeSource, { readonly type: "folder" }>,
  { prefix = "", limit, page }: z.output<typeof filesQuery>,
): Promise<ServiceReply> {
  const level = await listFolder(source.folder, prefix, { limit, page })
  if (level === null) return refuse(404, `${prefix} is no folder of this source`)
  return answer({
    source_id: source.id,
    source_name: source.id,
    prefix: prefix === "" ? null : prefix,
    folders: level.folders,
    files: level.files,
    meta: meta(page, limit, level.total, 0),
  })
}

function knowledgeGone(id: string): ServiceReply | null {
  return id === knowledgeId ? null : refuse(404, `Knowledge base '${id}' not found`)
}
