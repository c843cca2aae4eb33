// Finds the interactive elements of blocks, also those within containers, and the path of each.
import type { Block } from "./blocks.ts"
import type { InteractiveElement } from "./elements.ts"

/** An element, the block that holds it (the container's child, not the container), and its path in the payload. */
export interface PlacedElement {
  readonly element: InteractiveElement
  readonly block: Block
  readonly path: readonly PropertyKey[]
}

/** All interactive elements of the blocks, in the order in which people see them. `at`: the path of the blocks. */
export function elementsOf(blocks: readonly Block[], at: readonly PropertyKey[] = ["blocks"]): PlacedElement[] {
  return blocks.flatMap((block, index) => inBlock(block, [...at, index]))
}

/** All blocks with their paths, a container before its children. */
export function blocksWithin(
  blocks: readonly Block[],
  at: readonly PropertyKey[] = ["blocks"],
): { block: Block; path: readonly PropertyKey[] }[] {
  return blocks.flatMap((block, index) => {
    const path = [...at, index]
    const children = block.type === "container" ? blocksWithin(block.child_blocks, [...path, "child_blocks"]) : []
    return [{ block, path }, ...children]
  })
}

function inBlock(block: Block, path: readonly PropertyKey[]): PlacedElement[] {
  if (block.type === "actions") {
    return block.elements.map((element, index) => ({ element, block, path: [...path, "elements", index] }))
  }
  if (block.type === "input") return [{ element: block.element, block, path: [...path, "element"] }]
  if (block.type === "container") return elementsOf(block.child_blocks, [...path, "child_blocks"])
  if (block.type !== "section" || !block.accessory || block.accessory.type === "image") return []
  return [{ element: block.accessory, block, path: [...path, "accessory"] }]
}
