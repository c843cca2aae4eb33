// Walks a page from its first block to its last: each is given, saved, or left out for a reason that is listed.
import { expect } from "vitest"
import { type Block, blocksOf, leftOut } from "./blocks.ts"
import type { Said, Staying, Terminal } from "./reader.ts"

/** What a reader puts in place of a page's examples. Each has to be on the page. */
export type Replaced = readonly (readonly [string, string])[]

/**
 * A page that is walked. Every call takes the next block, which has to hold these words. Commands go to the first
 * terminal, or from `moveTo` on at another one.
 */
export interface Walk {
  /** `codes`: what the page says its command may end with. Default 0. */
  readonly give: (words: string, ...codes: readonly number[]) => Promise<Said>
  readonly start: (words: string, says: RegExp) => Promise<Staying>
  readonly moveTo: (terminal: Terminal) => void
  readonly save: (words: string, as: string) => void
  /** Passes a block that is listed as left out, or one that shows and is neither given nor saved. */
  readonly pass: (words: string) => void
  /** Everything was walked. */
  readonly end: () => void
}

/** Begins to walk a page at a terminal. */
export function walk(page: string, first: Terminal, replaced: () => Replaced): Walk {
  let terminal = first
  const blocks = [...blocksOf(page)]
  const next = (words: string): Block => {
    const block = blocks.shift()
    expect(block?.text ?? "", `${page} goes on with another block`).toContain(words)
    return block ?? { language: "", text: "" }
  }
  const filled = ({ text }: Block) => replaced().reduce((done, [from, to]) => done.replaceAll(from, to), text)
  return {
    give: async (words, ...codes) => {
      const said = await terminal.give(filled(next(words)))
      expect(codes.length === 0 ? [0] : codes, `${page}: ${words}\n${said.out}${said.err}`).toContain(said.code)
      return said
    },
    start: (words, says) => terminal.start(filled(next(words)), says),
    moveTo: (other) => void (terminal = other),
    save: (words, as) => terminal.save(as, filled(next(words))),
    pass: (words) => {
      const { language, text } = next(words)
      const [first = ""] = text.split("\n")
      if (language === "sh") expect(leftOut[first], `${page}: ${first}`).toBeDefined()
    },
    end: () => expect(blocks).toEqual([]),
  }
}
