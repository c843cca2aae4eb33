// Components: agents, teams and workflows that were made over the wire, with the versions of their configs (4.3).
import { z } from "zod"
import {
  boundedInteger,
  boundedText,
  chosenId,
  freeFormObject,
  openObject,
  optionalInteger,
  textBoolean,
} from "../wire/fields.ts"
import { named, namedObject } from "../wire/named-model.ts"
import { isWord } from "./conditions.ts"
import { resourceOf } from "./resource.ts"
import { nullableText, objectField, sparseModel, timeField } from "./row-columns.ts"

const kinds = ["agent", "team", "workflow"] as const

/** One component. `current_version` null: no config is current, and nobody can run the component. */
export const componentRow = z.object({
  component_id: z.string(),
  component_type: z.enum(kinds),
  name: z.string(),
  user_id: nullableText,
  description: nullableText,
  current_version: z.int().nullable(),
  metadata: objectField.nullable(),
  created_at: timeField("seconds"),
  updated_at: timeField("seconds").nullable(),
})

/** One version of a component's config. A published version cannot be changed. */
export const configRow = z.object({
  component_id: z.string(),
  version: z.int(),
  label: nullableText,
  stage: z.enum(["draft", "published"]),
  config: objectField,
  notes: nullableText,
  created_at: timeField("seconds"),
  updated_at: timeField("seconds").nullable(),
})

const version = boundedInteger().nullish()
const guard = openObject({ latest_version: version, current_version: version }).nullish()
const stage = z.enum(["draft", "published"])
const text = z.string().nullish()
const object = freeFormObject.nullish()

/** The ids that a new component may have. */
export const componentId: RegExp = /^[^/:*\s]+$/

/** What a request may say about an agent, team or workflow beside its name. */
const told = { description: text, metadata: object, config: object, label: text, notes: text }

/** What a request may say about a new agent, team or workflow. */
const described = {
  name: boundedText(255, 1),
  component_id: chosenId.meta({ pattern: componentId.source }).nullish(),
  ...told,
}

/** `POST /components`. */
export const componentBody = namedObject("CatalogComponentCreate", {
  ...described,
  component_type: z.enum(kinds),
  stage: stage.default("draft"),
  set_current: z.boolean().default(true),
})

/** `POST /agents`, `/teams`, `/workflows`; the new component is published at once. */
export const ownBody = named("OwnComponentCreate", z.object(described))

/** `PATCH /agents/*`, `/teams/*`, `/workflows/*`. A new config is a new version, which is published at once. */
export const ownChangeBody = namedObject("OwnComponentUpdate", { name: boundedText(255, 1).nullish(), ...told })

/** `PATCH /components/*`. */
export const componentChangeBody = namedObject("CatalogComponentUpdate", {
  name: boundedText(255, 1).nullish(),
  description: text,
  component_type: z.enum(kinds).nullish(),
  metadata: object,
  current_version: version,
  guard,
})

/** `POST /components/*\/configs`. */
export const configBody = namedObject("ComponentConfigCreate", {
  config: freeFormObject,
  label: text,
  stage: stage.default("draft"),
  notes: text,
  set_current: z.boolean().default(true),
  guard,
})

/** `PATCH /components/*\/configs/*`. */
export const configChangeBody = namedObject("ComponentConfigUpdate", {
  config: object,
  label: text,
  stage: stage.nullish(),
  notes: text,
  guard,
})

/** `DELETE /components/*`. The body may be left out. */
export const deleteQuery = z.object({ expected_current_version: optionalInteger(0) })

/** `GET /components/*\/configs`. */
export const configsQuery = z.object({ include_config: textBoolean(true) })

/** `POST /components/*\/configs/*\/set-current`, `DELETE /components/*`. The body may be empty. */
export const setCurrentBody = namedObject("ComponentSetCurrent", { guard })

const tag = "Components"
/** `/components`, and the changes of agents, teams and workflows. */
export const catalog = resourceOf<typeof componentRow>({
  name: "CatalogComponent",
  tag,
  scopes: "components",
  path: "/components",
  table: "components",
  row: componentRow,
  model: sparseModel(componentRow).partial({ name: true }),
  key: "component_id",
  owner: "user_id",
  unowned: "readable",
  indexes: [["created_at"], ["user_id", "created_at"]],
  notFound: (id) => `Component ${id} not found`,
  list: {
    id: "list_components",
    summary: "List components",
    filters: { component_type: isWord("component_type", kinds) },
    limit: 20,
    sortBy: ["created_at", "updated_at", "name", "component_id"],
  },
  read: { id: "get_component", summary: "View a component" },
})

/** The versions of a component's config. */
export const configs = resourceOf<typeof configRow>({
  name: "ComponentConfig",
  tag,
  scopes: "components",
  path: "/components/*/configs",
  parent: { column: "component_id", of: catalog },
  table: "component_configs",
  row: configRow,
  model: sparseModel(configRow),
  key: "version",
  owner: null,
  unique: ["component_id", "version"],
  indexes: [],
  notFound: (id) => `Config v${id} not found`,
})
