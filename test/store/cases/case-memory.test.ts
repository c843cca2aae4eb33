// The memory of a process: the same bytes are the same case, any other are opened, and what is kept has a limit.

import { expect, test } from "vitest"
import type { Case } from "../../../src/domain/case/case.ts"
import { createCaseMemory } from "../../../src/store/cases/case-memory.ts"
import { openingOf } from "../support.ts"

const theCase: Case = { ...openingOf("t").next, version: 1 }

/** A memory, and how many records had to be opened. */
function aMemory() {
  const memory = createCaseMemory()
  let opened = 0
  const open = (
    key: string,
    sealed: Buffer,
    changes: { readonly version?: string; readonly frozen?: boolean } = {},
  ) => {
    const { version = "1", frozen = false } = changes
    return memory.open(key, { version: Buffer.from(version), sealed, frozen }, () => {
      opened += 1
      return theCase
    })
  }
  return { memory, open, opened: () => opened }
}

test("the bytes that were opened or written last are not opened again", () => {
  const { memory, open, opened } = aMemory()
  memory.keep("written", Buffer.from("sealed"), theCase)
  expect(open("written", Buffer.from("sealed"))).toBe(theCase)
  expect(opened()).toBe(0)

  open("read", Buffer.from("sealed"))
  open("read", Buffer.from("sealed"))

  expect(opened()).toBe(1)
})

test.each([
  ["other bytes", Buffer.from("changed"), {}],
  ["another version", Buffer.from("sealed"), { version: "2" }],
  ["a frozen record", Buffer.from("sealed"), { frozen: true }],
])("R14 %s are opened anew", (_, sealed, changes) => {
  const { memory, open, opened } = aMemory()
  memory.keep("k", Buffer.from("sealed"), theCase)

  open("k", sealed, changes)

  expect(opened()).toBe(1)
})

test.each([
  ["as many", 256, 10],
  ["as large", 16, 1_048_576],
])("R20 the oldest are forgotten when there are twice %s as there is room for", (_, room, size) => {
  const { memory, open, opened } = aMemory()
  for (let at = 0; at < 2 * room; at += 1) memory.keep(`${at}`, Buffer.alloc(size, at), theCase)

  for (let at = room; at < 2 * room; at += 1) open(`${at}`, Buffer.alloc(size, at))
  expect(opened()).toBe(0)
  open("0", Buffer.alloc(size, 0))
  expect(opened()).toBe(1)
})
