// Marks: what a process knew outlives it, and only what is ours and whole is believed (R17).
import { appendFile, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Alarm, Mark } from "../../src/flow/ports.ts"
import { type MarksOptions, marksFolder, openMarks, readOnlyMarks } from "../../src/proof/marks.ts"
import { aSeal } from "../support/builders.ts"
import { noon } from "../support/clock.ts"
import { aFolder } from "../support/opened.ts"

const seal = aSeal({ installation: "i" })

function aMark(number: number): Mark {
  return { number, mac: `mac ${number}`, at: noon + number, era: 1, heads: { [`case:${number}`]: [number, "m"] } }
}

/** A folder of marks, and the processes that open it. */
async function aMarksFolder() {
  const dataFolder = aFolder("marks")
  const folder = marksFolder(dataFolder)
  const alarms: Alarm[] = []
  const open = (replica: string, changes: Partial<MarksOptions> = {}) =>
    openMarks({ folder, installation: "i", replica, seal, alarm: (alarm) => void alarms.push(alarm), ...changes })
  const pathOf = (replica: string) => join(folder, `${replica}.marks`)
  return { dataFolder, folder, open, pathOf, alarms }
}

test("R17 what a process noted another reads, without an end of the first: in order, and not its own", async () => {
  const { folder, open, alarms } = await aMarksFolder()
  const one = open("one")
  const two = open("two")
  one.note(aMark(1))
  one.note(aMark(2))
  two.note(aMark(3))

  expect(await two.read()).toEqual([{ replica: "one", marks: [aMark(1), aMark(2)] }])
  expect(await one.read()).toEqual([{ replica: "two", marks: [aMark(3)] }])
  expect((await readOnlyMarks({ folder, installation: "i", seal }).read()).map(({ replica }) => replica)).toEqual([
    "one",
    "two",
  ])
  await one.close()
  await two.close()
  expect(await open("three").read()).toHaveLength(2)
  expect(alarms).toEqual([])
})

test("only the owner may read a file of marks, also once it was begun anew", async () => {
  const { folder, open, pathOf } = await aMarksFolder()
  const marks = open("one")
  const modes = async () => (await Promise.all([folder, pathOf("one")].map((path) => stat(path)))).map(modeOf)
  expect(await modes()).toEqual([0o700, 0o600])

  await marks.begin([aMark(1)])

  expect(await modes()).toEqual([0o700, 0o600])
  await marks.close()
})

function modeOf({ mode }: { readonly mode: number }): number {
  return mode & 0o777
}

test("R17 a line that was cut off, changed, or made by another installation or key says nothing", async () => {
  const { open, pathOf } = await aMarksFolder()
  const files = {
    cut: open("cut"),
    changed: open("changed"),
    other: open("other", { installation: "j" }),
    key: open("key", { seal: aSeal({ installation: "i", key: Buffer.alloc(32, 9) }) }),
  }
  for (const marks of Object.values(files)) {
    marks.note(aMark(1))
    marks.note(aMark(2))
    await marks.close()
  }
  const cut = await readFile(pathOf("cut"), "utf8")
  await writeFile(pathOf("cut"), cut.slice(0, -20))
  const changed = await readFile(pathOf("changed"), "utf8")
  await writeFile(pathOf("changed"), changed.replace("mac 2", "mac 9"))
  await appendFile(pathOf("changed"), '{"mark":"{}"}\nnothing of ours\n')

  const read = await open("reader").read()

  expect(Object.fromEntries(read.map(({ replica, marks }) => [replica, marks]))).toEqual({
    cut: [aMark(1)],
    changed: [aMark(1)],
    other: [],
    key: [],
  })
})

test("R17 a line with our seal that holds no mark says nothing", async () => {
  const { open, pathOf } = await aMarksFolder()
  await open("one").close()
  const text = JSON.stringify({ number: "1" })
  await appendFile(pathOf("one"), `${JSON.stringify({ mark: text, seal: seal.mac("mark", `i ${text}`) })}\n`)

  expect(await open("reader").read()).toEqual([{ replica: "one", marks: [] }])
})

test("R17 a file that is begun anew holds what it is given, and what is noted after", async () => {
  const { open, folder } = await aMarksFolder()
  const marks = open("one")
  for (const number of [1, 2, 3]) marks.note(aMark(number))

  await marks.begin([aMark(3)])
  marks.note(aMark(4))
  const begun = await open("reader").read()
  await marks.begin([])
  const empty = await open("reader").read()

  expect(begun).toEqual([{ replica: "one", marks: [aMark(3), aMark(4)] }])
  expect(empty).toEqual([{ replica: "one", marks: [] }])
  expect(await readdir(folder)).toEqual(["one.marks", "reader.marks"])
  await marks.close()
})

test("a process that ends while a checkpoint covers all that it noted leaves no file", async () => {
  const { open, folder, alarms } = await aMarksFolder()
  const [covered, ahead] = [open("covered"), open("ahead")]
  for (const marks of [covered, ahead]) marks.note(aMark(1))
  await covered.begin([])

  await covered.close()
  await ahead.close()

  expect(await readdir(folder)).toEqual(["ahead.marks"])
  expect(alarms).toEqual([])
})

test("the files of processes that are dead and covered are removed, and no others", async () => {
  const { open } = await aMarksFolder()
  for (const replica of ["one", "two"]) open(replica).note(aMark(1))
  const three = open("three")

  await three.remove(["one", "never was"])

  expect((await three.read()).map(({ replica }) => replica)).toEqual(["two"])
})

test("R17 a file that another process removes while the folder is read says nothing, and ends no start", async () => {
  const { open, pathOf } = await aMarksFolder()
  open("one").note(aMark(1))
  const reader = open("reader")
  // Listed, and not there any more when it is read.
  await symlink(pathOf("removed meanwhile"), pathOf("gone"))

  expect(await reader.read()).toEqual([{ replica: "one", marks: [aMark(1)] }])
})

test("a folder that is not there holds no marks", async () => {
  const { dataFolder } = await aMarksFolder()

  expect(await readOnlyMarks({ folder: join(dataFolder, "none"), installation: "i", seal }).read()).toEqual([])
})

test("R17 a folder that cannot be made is an alarm with what to do, and the process goes on without marks", async () => {
  const { dataFolder, open, alarms } = await aMarksFolder()
  const folder = join(dataFolder, "file")
  await writeFile(folder, "")

  const marks = open("one", { folder })
  marks.note(aMark(1))
  await marks.begin([])
  await marks.close()

  expect(await marks.read()).toEqual([])
  expect(alarms).toMatchObject([
    { code: "marks-not-kept", folder, hint: expect.stringContaining("make data_folder writable") },
  ])
  await expect(readOnlyMarks({ folder, installation: "i", seal }).read()).rejects.toMatchObject({ code: "ENOTDIR" })
})

test("R17 what cannot be written later is an alarm, and stops nothing", async () => {
  const { open, folder, alarms } = await aMarksFolder()
  const marks = open("one")
  await rm(folder, { recursive: true })

  await marks.begin([aMark(1)])
  marks.note(aMark(2))
  await marks.close()

  expect(alarms).toMatchObject([{ code: "marks-not-kept", folder }])
})
