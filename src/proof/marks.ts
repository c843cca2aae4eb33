// Marks: what each process of this machine knew of the ledger, in a folder that outlives a kill (port `Marks`).

import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { tryParseJson } from "../domain/content/json.ts"
import type { Seal } from "../domain/proof/seal.ts"
import { type Alarm, type Mark, type Marks, type MarksOfProcess, noMarks } from "../flow/ports.ts"

/** Where a data folder keeps the marks of an installation. */
export function marksFolder(dataFolder: string): string {
  return join(dataFolder, "marks")
}

/** What marks need. */
export interface MarksOptions {
  readonly folder: string
  readonly installation: string
  readonly replica: string
  readonly seal: Seal
  readonly alarm: (alarm: Alarm) => void
}

const storedMark = z.object({
  number: z.number(),
  mac: z.string(),
  at: z.number(),
  era: z.number(),
  heads: z.record(z.string(), z.tuple([z.number(), z.string()])),
})
const line = z.object({ mark: z.string(), seal: z.string() })

/** Opens this process' file, mode 600. If we cannot write to the folder, there are no marks, and we raise an alarm. */
export function openMarks(options: MarksOptions): Marks {
  const { folder, replica, seal, alarm } = options
  const path = join(folder, `${replica}.marks`)
  let file: number
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = openSync(path, "a", 0o600)
  } catch (error) {
    const hint = "make data_folder writable, or a crash may have people asked again"
    alarm({ code: "marks-not-kept", folder, error, hint })
    return noMarks
  }
  const write = (marks: readonly Mark[]) => {
    if (marks.length > 0) writeSync(file, marks.map((mark) => markLine(seal, options.installation, mark)).join(""))
  }
  const safely = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      alarm({ code: "marks-not-kept", folder, error })
    }
  }
  return {
    // When this returns, the mark is in the page cache, which survives the end of the process.
    note: (mark) => safely(() => write([mark])),
    begin: async (marks) =>
      safely(() => {
        const next = openSync(`${path}.new`, "w", 0o600)
        closeSync(file)
        file = next
        write(marks)
        renameSync(`${path}.new`, path)
      }),
    read: () => readMarks(options),
    remove: async (replicas) => {
      await Promise.all(replicas.map((id) => rm(join(folder, `${id}.marks`), { force: true })))
    },
    close: async () =>
      safely(() => {
        fsyncSync(file)
        const { size } = fstatSync(file)
        closeSync(file)
        // A checkpoint covers everything. If we kept the empty file, each start would leave a file behind.
        if (size === 0) rmSync(path, { force: true })
      }),
  }
}

/** The marks of a folder, for a process that only reads them. */
export function readOnlyMarks(options: Omit<MarksOptions, "alarm" | "replica">): Marks {
  return { ...noMarks, read: () => readMarks({ ...options, replica: "" }) }
}

function markLine(seal: Seal, installation: string, mark: Mark): string {
  const text = JSON.stringify(mark)
  return `${JSON.stringify({ mark: text, seal: seal.mac("mark", `${installation} ${text}`) })}\n`
}

async function readMarks(options: Omit<MarksOptions, "alarm">): Promise<readonly MarksOfProcess[]> {
  const { folder, installation, replica, seal } = options
  const names = (await unlessGone(readdir(folder))) ?? []
  const others = names.filter((name) => name.endsWith(".marks") && name !== `${replica}.marks`)
  const files = await Promise.all(
    others.map(async (name) => {
      // Another process may have removed the file since: then a checkpoint covers it.
      const text = await unlessGone(readFile(join(folder, name), "utf8"))
      const marks = text?.split("\n").flatMap((one) => markIn(seal, installation, one))
      return marks === undefined ? [] : [{ replica: name.slice(0, -".marks".length), marks }]
    }),
  )
  return files.flat()
}

/** The content of a file or folder; null if there is none. */
export async function unlessGone<Read>(reading: Promise<Read>): Promise<Read | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}

/** The mark in a line; none if the line is not ours, is of another installation, or was cut off. */
function markIn(seal: Seal, installation: string, text: string): readonly Mark[] {
  const read = line.safeParse(tryParseJson(text))
  if (!read.success || !seal.verify("mark", `${installation} ${read.data.mark}`, read.data.seal)) return []
  const mark = storedMark.safeParse(tryParseJson(read.data.mark))
  return mark.success ? [mark.data] : []
}
