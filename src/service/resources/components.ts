// Components: agents, teams and workflows that are made over the wire, with the versions of their configs (4.3).
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
import { isWord } from "./conditions.ts"
import type { Operations } from "./operation.ts"
import type { Resource } from "./resource.ts"
import { objectField, sparseModel, timeField } from "./row-columns.ts"

const nullableText = z.string().nullable()
const kinds = ["agent", "team", "workflow"] as const

/** One component. `current_version` null: none of its configs is published, and nobody can run it. */
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

/** One version of a component's config. A published one stays as it is. */
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

/** What a new component may be called in addresses. */
export const componentId: RegExp = /^[^/:*\s]+$/

/** What is said of a new agent, team or workflow. */
const described = {
  name: boundedText(255, 1),
  component_id: chosenId.meta({ pattern: componentId.source }).nullish(),
  description: text,
  metadata: object,
  config: object,
  label: text,
  notes: text,
}

/** `POST /components`. */
export const componentBody = z.object({
  ...described,
  component_type: z.enum(kinds),
  stage: stage.default("draft"),
  set_current: z.boolean().default(true),
})

/** `POST /agents`, `/teams`, `/workflows`: the same, published at once. */
export const ownBody = z.object(described)

/** `PATCH /agents/*`, `/teams/*`, `/workflows/*`: a new config is a new version, published at once. */
export const ownChangeBody = z.object({
  name: boundedText(255, 1).nullish(),
  description: text,
  metadata: object,
  config: object,
  label: text,
  notes: text,
})

/** `PATCH /components/*`. */
export const componentChangeBody = z.object({
  name: boundedText(255, 1).nullish(),
  description: text,
  component_type: z.enum(kinds).nullish(),
  metadata: object,
  current_version: version,
  guard,
})

/** `POST /components/*\/configs`. */
export const configBody = z.object({
  config: freeFormObject,
  label: text,
  stage: stage.default("draft"),
  notes: text,
  set_current: z.boolean().default(true),
  guard,
})

/** `PATCH /components/*\/configs/*`. */
export const configChangeBody = z.object({ config: object, label: text, stage: stage.nullish(), notes: text, guard })

/** `DELETE /components/*`; the body may be left out. */
export const deleteQuery = z.object({ expected_current_version: optionalInteger(0) })

/** `GET /components/*\/configs`. */
export const configsQuery = z.object({ include_config: textBoolean(true) })

/** `POST /components/*\/configs/*\/set-current`, `DELETE /components/*`; it may be empty. */
export const setCurrentBody = z.object({ guard })

const tag = "Components"
const config = { tag, model: "ComponentConfig" } as const

const componentRoutes: Operations = {
  "POST /components": {
    id: "create_component",
    tag,
    summary: "Create a component",
    json: "CatalogComponentCreate",
    status: 201,
    model: "CatalogComponent",
    refusals: [400, 409],
  },
  "PATCH /components/*": {
    id: "update_component",
    tag,
    summary: "Update a component",
    json: "CatalogComponentUpdate",
    model: "CatalogComponent",
    refusals: [400, 409],
  },
  "DELETE /components/*": {
    id: "delete_component",
    tag,
    summary: "Delete a component",
    query: deleteQuery,
    json: "ComponentSetCurrent",
    mayBeEmpty: true,
    status: 204,
    refusals: [409],
  },
  "GET /components/*/configs": {
    ...config,
    id: "list_configs",
    summary: "List a component's configs",
    query: configsQuery,
    model: "ComponentConfigs",
  },
  "GET /components/*/configs/current": { ...config, id: "get_current_config", summary: "View the current config" },
  "GET /components/*/configs/*": { ...config, id: "get_component_config", summary: "View a config" },
  "POST /components/*/configs": {
    ...config,
    id: "create_config",
    summary: "Create a config",
    json: "ComponentConfigCreate",
    status: 201,
    refusals: [400, 409],
  },
  "PATCH /components/*/configs/*": {
    ...config,
    id: "update_config",
    summary: "Update a config that is a draft",
    json: "ComponentConfigUpdate",
    refusals: [400, 409],
  },
  "DELETE /components/*/configs/*": {
    id: "delete_config",
    tag,
    summary: "Delete a config that is a draft",
    status: 204,
    refusals: [400],
  },
  "POST /components/*/configs/*/set-current": {
    id: "set_current_config",
    tag,
    summary: "Mark a config as current",
    json: "ComponentSetCurrent",
    mayBeEmpty: true,
    model: "CatalogComponent",
    refusals: [400, 409],
  },
}

/** Creating, changing and deleting agents, teams and workflows. */
function familyRoutes(kind: (typeof kinds)[number]): Operations {
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const told = { tag: `${title}s`, model: "Component" }
  const an = kind === "agent" ? "an agent" : `a ${kind}`
  return {
    [`POST /${kind}s`]: {
      ...told,
      id: `create_${kind}`,
      summary: `Create ${an}`,
      json: "OwnComponentCreate",
      status: 201,
      refusals: [400, 409],
    },
    [`PATCH /${kind}s/*`]: {
      ...told,
      id: `update_${kind}`,
      summary: `Update ${an}`,
      json: "OwnComponentUpdate",
      refusals: [400, 409],
    },
    [`DELETE /${kind}s/*`]: {
      id: `delete_${kind}`,
      tag: told.tag,
      summary: `Delete ${an}`,
      status: 204,
      refusals: [409],
    },
  }
}

/** `/components`, their configs, and the writes of agents, teams and workflows. */
export const catalog: Resource<typeof componentRow> = {
  name: "CatalogComponent",
  tag,
  path: "/components",
  table: "components",
  row: componentRow,
  model: sparseModel(componentRow).partial({ name: true }),
  key: "component_id",
  hidden: [],
  owner: "user_id",
  unowned: "readable",
  domain: null,
  unique: [],
  indexes: [["created_at"], ["user_id", "created_at"]],
  notFound: (id) => `Component ${id} not found`,
  narrowing: {},
  list: {
    id: "list_components",
    summary: "List components",
    filters: { component_type: isWord("component_type", kinds) },
    limit: 20,
    sortBy: ["created_at", "updated_at", "name", "component_id"],
  },
  read: { id: "get_component", summary: "View a component" },
  others: { ...componentRoutes, ...familyRoutes("agent"), ...familyRoutes("team"), ...familyRoutes("workflow") },
  models: {
    CatalogComponentCreate: componentBody,
    CatalogComponentUpdate: componentChangeBody,
    OwnComponentCreate: ownBody,
    OwnComponentUpdate: ownChangeBody,
    ComponentConfig: sparseModel(configRow),
    ComponentConfigs: z.array(sparseModel(configRow).partial({ config: true })),
    ComponentConfigCreate: configBody,
    ComponentConfigUpdate: configChangeBody,
    ComponentSetCurrent: setCurrentBody,
  },
}

/** The versions of configs, under their component. */
export const configs: Resource<typeof configRow> = {
  name: "ComponentConfig",
  tag,
  path: "/components/*/configs",
  parent: { column: "component_id", of: catalog },
  table: "component_configs",
  row: configRow,
  model: sparseModel(configRow),
  key: "version",
  hidden: [],
  owner: null,
  unowned: "hidden",
  domain: null,
  unique: ["component_id", "version"],
  indexes: [],
  notFound: (id) => `Config v${id} not found`,
  narrowing: {},
  others: {},
  models: {},
}
