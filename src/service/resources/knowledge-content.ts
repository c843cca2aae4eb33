// Knowledge: texts that can be searched, and the sources that they come from (specification 4.3).
import { z } from "zod"
import { boundedInteger, boundedText, freeFormObject, openObject, queryInteger } from "../wire/fields.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { resourceOf } from "./resource.ts"
import { nullableText, objectField, timeField, wireModel } from "./row-columns.ts"

/** The id of the one knowledge base, for searches and for the routes of its sources. */
export const knowledgeId = "knowledge"

/** One text of the knowledge. `size` is in bytes of UTF-8; `origin` is the address or path that it came from. */
export const contentRow = z.object({
  id: z.string(),
  name: nullableText,
  description: nullableText,
  type: nullableText,
  size: z.int(),
  metadata: objectField.nullable(),
  status: z.enum(["processing", "completed", "failed"]),
  status_message: nullableText,
  origin: nullableText,
  user_id: nullableText,
  created_at: timeField("iso"),
  updated_at: timeField("iso"),
})

const hidden = ["origin", "user_id"]
const shown = wireModel(contentRow, hidden).extend({
  size: z.string(),
  linked_to: nullableText,
  access_count: z.int().nullable(),
})

/** What every form may say about a text. `metadata` is a JSON object, or else a word that is kept as its value. */
const told = {
  name: boundedText(255).optional(),
  description: boundedText(1000).optional(),
  metadata: z.string().optional(),
  reader_id: z.string().optional(),
  chunker: z.string().optional(),
}

/** `POST /knowledge/content`. The file is read apart from the other fields. */
export const contentForm = namedObject("KnowledgeContentCreate", {
  ...told,
  text_content: z.string().optional(),
  url: z.string().optional(),
  file: z.unknown().meta({ type: "string", format: "binary" }).optional(),
})

/** `POST /knowledge/remote-content`. */
export const remoteForm = namedObject("KnowledgeRemoteContent", {
  ...told,
  config_id: z.string(),
  path: z.string(),
  source_params: z.string().optional(),
})

/** `PATCH /knowledge/content/*`. A field that is left out stays as it is. */
export const contentChangeForm = named("KnowledgeContentUpdate", z.object(told))

/** `POST /knowledge/search`. */
export const searchBody = namedObject("KnowledgeSearch", {
  query: boundedText(10_000),
  knowledge_id: z.string().nullish(),
  search_type: z.string().nullish(),
  max_results: boundedInteger(1, 1000).nullish(),
  filters: freeFormObject.nullish(),
  meta: openObject({ limit: boundedInteger(1, 1000).default(20), page: boundedInteger(1).default(1) }).nullish(),
})

/** `GET /knowledge/*\/sources/*\/files`. */
export const filesQuery = z.object({
  prefix: z.string().optional(),
  limit: queryInteger(100, 1, 1000),
  page: queryInteger(1, 1),
  delimiter: z.enum(["/"]).default("/"),
})

/** One piece of a text that a search found. */
export const knowledgeFound = z.object({
  id: z.string(),
  content: z.string(),
  name: nullableText,
  meta_data: objectField.nullable(),
  usage: objectField.nullable(),
  reranking_score: z.number().nullable(),
  content_id: z.string(),
  content_origin: nullableText,
  size: z.int(),
})

/** One source of content. */
export const knowledgeSource = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(["http", "folder"]),
  metadata: objectField.nullable(),
  prefix: nullableText,
})

/** What `GET /knowledge/*\/sources/*\/files` shows. */
export const sourceFiles = named(
  "KnowledgeFiles",
  pageOf(z.never())
    .omit({ data: true })
    .extend({
      source_id: z.string(),
      source_name: z.string(),
      prefix: nullableText,
      folders: z.array(z.object({ prefix: z.string(), name: z.string(), is_empty: z.boolean() })),
      files: z.array(
        z.object({
          key: z.string(),
          name: z.string(),
          size: z.int(),
          last_modified: z.iso.datetime(),
          content_type: nullableText,
        }),
      ),
    }),
)

/** What `GET /knowledge/config` shows. */
export const knowledgeConfig = namedObject("KnowledgeConfig", {
  readers: objectField,
  readersForType: objectField,
  chunkers: objectField,
  filters: z.array(z.string()),
  vector_dbs: z.array(objectField),
  remote_content_sources: z.array(knowledgeSource),
  unavailable_readers: objectField.nullable(),
  unavailable_chunkers: objectField.nullable(),
})

/** `/knowledge/content`, and the other routes of knowledge. Everybody may read content that has no user. */
export const knowledgeContent = resourceOf<typeof contentRow>({
  name: "KnowledgeContent",
  tag: "Knowledge",
  scopes: "knowledge",
  path: "/knowledge/content",
  table: "knowledge_content",
  row: contentRow,
  model: shown,
  key: "id",
  hidden,
  owner: "user_id",
  unowned: "readable",
  indexes: [["created_at"], ["user_id", "created_at"], ["status", "updated_at"]],
  notFound: (id) => `Content not found: ${id}`,
  list: {
    id: "get_content",
    summary: "List knowledge content",
    filters: {},
    limit: 20,
    sortBy: ["created_at", "updated_at", "name", "size", "status"],
  },
  read: { id: "get_content_by_id", summary: "View knowledge content" },
})
