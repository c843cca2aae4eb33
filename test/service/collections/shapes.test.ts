// The shapes of described resources, held against those of AgentOS 3.1.10: `agentos-3.1.10.json` is its own interface
// description, each operation as the names and types that travel.

import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { call, type TestService } from "../a-service.ts"
import { aFullService } from "../components.ts"
import { expected } from "./expected-differences.ts"
import { type Document, type Fields, readOperation } from "./flat-shapes.ts"

const fieldsSchema = z.record(z.string(), z.string())
const shapesSchema = z.record(
  z.string(),
  z.object({
    query: z.array(z.string()).default([]),
    json: fieldsSchema.optional(),
    form: fieldsSchema.optional(),
    required: z.array(z.string()).default([]),
    status: z.array(z.number()),
    answer: fieldsSchema.optional(),
  }),
)
const recorded = readFileSync(new URL("agentos-3.1.10.json", import.meta.url), "utf8")
const theirs = shapesSchema.parse(JSON.parse(recorded))

let service: TestService
let ours: Document

beforeAll(async () => {
  service = await aFullService()
  ours = (await call(service, "GET /openapi.json")).body as Document
})
afterAll(() => service.close())

/** What differs between two lists of names, as `+ours` and `-theirs`. */
function compareNames(place: string, mine: readonly string[], other: readonly string[]): readonly string[] {
  return [
    ...mine.filter((name) => !other.includes(name)).map((name) => `+${place} ${name}`),
    ...other.filter((name) => !mine.includes(name)).map((name) => `-${place} ${name}`),
  ]
}

/** What differs between two sets of fields: names, and types of fields that both have and tell. */
function compareFields(place: string, mine: Fields = {}, other: Fields = {}): readonly string[] {
  const types = Object.entries(mine).flatMap(([name, type]) => {
    const there = other[name]
    return there === undefined || there === type || there === "any" || type === "any"
      ? []
      : [`${place} ${name}: ${type}, not ${there}`]
  })
  return [...compareNames(place, Object.keys(mine), Object.keys(other)), ...types]
}

test.each(Object.entries(theirs))("%s travels as in AgentOS 3.1.10, but for what is listed", (pattern, shape) => {
  const mine = readOperation(ours, pattern)
  if (mine === undefined) throw new Error(`${pattern} is not described`)

  const found = [
    ...compareNames("query", mine.query, shape.query),
    ...compareFields("json", mine.json, shape.json),
    ...compareFields("form", mine.form, shape.form),
    ...compareNames("required", mine.required, shape.required),
    ...compareNames("status", mine.status.map(String), shape.status.map(String)),
    ...compareFields("answer", mine.answer, shape.answer),
  ]

  expect(found.toSorted()).toEqual((expected[pattern] ?? []).toSorted())
})

test("every difference that is listed is of a route that AgentOS has", () => {
  expect(Object.keys(expected).filter((pattern) => theirs[pattern] === undefined)).toEqual([])
})
