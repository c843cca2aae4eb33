// Bounds: what a checkpoint says about the ledger besides its root, under our MAC, for the next start (port `Bounds`).

import { readFile } from "node:fs/promises"
import { z } from "zod"
import { tryParseJson } from "../domain/content/json.ts"
import type { Seal } from "../domain/proof/seal.ts"
import type { Alarm, Bound, Bounds } from "../flow/ports.ts"
import { ProofError } from "./errors.ts"
import { unlessGone } from "./marks.ts"

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

/** A bound as a line has it. */
export type SealedBound = Readonly<z.infer<typeof sealed>>

/** Seals a bound for its line. */
export function sealBound(seal: Seal, installation: string, bound: Bound): SealedBound {
  const text = JSON.stringify(bound)
  return { bound: text, installation, seal: seal.mac("bound", `${installation} ${text}`) }
}

/** The places from which we can read checkpoints back. */
export interface BoundsOptions {
  readonly seal: Seal
  readonly installation: string
  /** Null: there is no file. */
  readonly file: string | null
  /** An audit channel, whose lines come oldest first; null: there is none. */
  readonly audit: { readonly name: string; read(): Promise<readonly string[]> } | null
  readonly alarm: (alarm: Alarm) => void
}

/**
 * The bounds in file and channel. Skips lines that are of another installation, cut off, or without a bound. Raises an
 * alarm if it cannot read the channel. Throws `ProofError` `bad-bound` if the newest does not verify.
 */
export function createBounds({ seal, installation, file, audit, alarm }: BoundsOptions): Bounds {
  const readAudit = async () => {
    try {
      return (await audit?.read()) ?? []
    } catch (error) {
      alarm({ code: "checkpoints-not-read", from: audit?.name, error })
      return []
    }
  }
  return {
    newest: async (by = Number.POSITIVE_INFINITY) => {
      const readFiled = async () => (file === null ? null : unlessGone(readFile(file, "utf8")))
      const [filed, posted] = await Promise.all([readFiled(), readAudit()])
      const find = (name: string, lines: readonly string[]) => newestIn({ seal, installation, by }, name, lines)
      const found = [find(file ?? "", filed?.split("\n") ?? []), find(audit?.name ?? "", posted)]
      return found.reduce((best, one) => (best === null || (one !== null && one.size > best.size) ? one : best), null)
    },
  }
}

interface Finding extends Pick<BoundsOptions, "seal" | "installation"> {
  readonly by: number
}

function newestIn({ seal, installation, by }: Finding, name: string, lines: readonly string[]): Bound | null {
  for (const [index, text] of [...lines.entries()].toReversed()) {
    const read = sealed.safeParse(partOf(text))
    if (!read.success || read.data.installation !== installation) continue
    const bound = opened(seal, read.data)
    if (bound !== null && bound.at > by) continue
    if (bound !== null) return bound
    throw new ProofError(
      "bad-bound",
      `line ${index + 1} of ${name} is a checkpoint of installation ${installation}, ` +
        "and not one that this key made: set COUNTERSIGN_KEY to the key that did, or move the file away",
    )
  }
  return null
}

/** The bound in a line. It stands beside the checkpoint, or on a line of its own. */
function partOf(text: string): unknown {
  const value = tryParseJson(text)
  return typeof value === "object" && value !== null && "sealed" in value ? value["sealed"] : value
}

function opened(seal: Seal, { bound, installation, seal: mac }: SealedBound): Bound | null {
  if (!seal.verify("bound", `${installation} ${bound}`, mac)) return null
  return boundSchema.safeParse(tryParseJson(bound)).data ?? null
}
