// Bounds: what a checkpoint says of the ledger besides its signed root, under our MAC, so that a start can go on from it (port `Bounds`).
import { readFile } from "node:fs/promises"
import { z } from "zod"
import type { Seal } from "../domain/seal.ts"
import type { Bound, Bounds } from "../flow/ports.ts"
import { ProofError } from "./errors.ts"

const boundSchema = z.object({
  size: z.int().positive(),
  mac: z.string(),
  root: z.string(),
  peaks: z.array(z.tuple([z.number(), z.string()])),
  heads: z.string(),
  era: z.number(),
  at: z.number(),
})
const sealed = z.object({ bound: z.string(), installation: z.string(), seal: z.string() })

/** A bound as a line carries it. */
export type SealedBound = Readonly<z.infer<typeof sealed>>

/** Seals a bound for its line. */
export function sealBound(seal: Seal, installation: string, bound: Bound): SealedBound {
  const text = JSON.stringify(bound)
  return { bound: text, installation, seal: seal.mac("bound", `${installation} ${text}`) }
}

/** A place that checkpoints can be read back from, as text of one or more lines; "" where there is none. */
export interface BoundSource {
  readonly name: string
  /** The lines, oldest first. */
  read(): Promise<readonly string[]>
}

/** A file of checkpoints; none where it is not there yet. */
export function fileSource(path: string): BoundSource {
  return {
    name: path,
    read: async () => {
      try {
        return (await readFile(path, "utf8")).split("\n")
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
        throw error
      }
    },
  }
}

/**
 * The newest bound that any of the sources holds. A line that is of another installation, is cut off, or has no bound is passed over. Throws
 * `ProofError` `bad-bound` if the newest line that has one does not verify.
 */
export function createBounds(seal: Seal, installation: string, sources: readonly BoundSource[]): Bounds {
  return {
    newest: async () => {
      const found = await Promise.all(
        sources.map(async (source) => newestIn(seal, installation, source.name, await source.read())),
      )
      return found.reduce((best, one) => (best === null || (one !== null && one.size > best.size) ? one : best), null)
    },
  }
}

function newestIn(seal: Seal, installation: string, name: string, lines: readonly string[]): Bound | null {
  for (const [index, text] of [...lines.entries()].toReversed()) {
    const read = sealed.safeParse(partOf(text))
    if (!read.success || read.data.installation !== installation) continue
    const bound = opened(seal, read.data)
    if (bound !== null) return bound
    throw new ProofError(
      "bad-bound",
      `line ${index + 1} of ${name} is a checkpoint of installation ${installation}, and not one that this key made: set COUNTERSIGN_KEY to the key that did, or move the file away`,
    )
  }
  return null
}

/** The bound may stand beside the checkpoint on one line, or on a line of its own. */
function partOf(text: string): unknown {
  const value = parsed(text)
  return typeof value === "object" && value !== null && "sealed" in value ? value.sealed : value
}

function opened(seal: Seal, { bound, installation, seal: mac }: SealedBound): Bound | null {
  if (!seal.verify("bound", `${installation} ${bound}`, mac)) return null
  const read = boundSchema.safeParse(parsed(bound))
  return read.success ? read.data : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // a line that a crash cut off, or a signature on a line of its own
  }
}
