// Checks what Slack demands besides the shape of each object: unique ids, choices that match, complete sections.
import { isDeepStrictEqual } from "node:util"
import type { Block } from "./blocks.ts"
import type { InteractiveElement } from "./elements.ts"
import { blocksWithin, elementsOf, type PlacedElement } from "./elements-of.ts"
import { type BlockError, pointerOf } from "./issues.ts"
import { blockLimits } from "./limits.ts"
import { textUnits } from "./totals.ts"

/** The errors of blocks whose shapes are right. Empty if Slack would take the blocks. */
export function checkRules(blocks: readonly Block[]): BlockError[] {
  const placed = blocksWithin(blocks)
  const elements = elementsOf(blocks)
  return [
    ...placed.flatMap(({ block, path }) => checkBlock(block, path)),
    ...elements.flatMap(checkElement),
    ...repeated(placed.map(({ block, path }) => ({ id: block.block_id, scope: "", path: [...path, "block_id"] }))),
    ...repeated(
      elements.map(({ element, block, path }) => ({
        id: element.action_id,
        scope: pointerOf(placed.find((entry) => entry.block === block)?.path ?? []),
        path: [...path, "action_id"],
      })),
    ),
  ]
}

function checkBlock(block: Block, path: readonly PropertyKey[]): BlockError[] {
  const wrong = (message: string) => [{ pointer: pointerOf(path), message }]
  if (block.type === "section" && !block.text && !block.fields) return wrong("must provide either text or fields")
  if (block.type === "image" && Boolean(block.image_url) === Boolean(block.slack_file)) {
    return wrong("must provide either image_url or slack_file")
  }
  if (block.type === "container") return wrongContainer(block).flatMap(wrong)
  if (block.type === "table" && textUnits(block) > blockLimits.tableText) {
    return wrong(`must be less than ${blockLimits.tableText + 1} characters`)
  }
  return []
}

/** Finds faults of a container: it needs a title, and one that collapses has no divider (by Slack's types). */
function wrongContainer(block: Extract<Block, { type: "container" }>): string[] {
  if (!block.title && !block.rich_text_title) return ["must provide either title or rich_text_title"]
  if (block.is_collapsible && block.has_header_divider) return ["has_header_divider needs is_collapsible to be false"]
  return block.default_collapsed && !block.is_collapsible ? ["default_collapsed needs is_collapsible"] : []
}

function checkElement({ element, path }: PlacedElement): BlockError[] {
  const wrong = (message: string) => [{ pointer: pointerOf(path), message }]
  const isText = element.type === "plain_text_input"
  if (isText && (element.min_length ?? 0) > (element.max_length ?? blockLimits.inputLength))
    return wrong("min_length must not be above max_length")
  const choices = choicesOf(element)
  if (!choices) return wrong("must provide either options or option_groups")
  if (new Set(choices.map(({ value }) => value)).size < choices.length) return wrong("option values must be unique")
  const foreign = initialChoices(element).some(
    (initial) => !choices.some((choice) => isDeepStrictEqual(choice, initial)),
  )
  return foreign ? wrong("initial option must be one of the options") : []
}

/** All choices of an element; empty for a kind without choices. Undefined if it has both of its lists, or neither. */
function choicesOf(element: InteractiveElement): readonly { readonly value: string }[] | undefined {
  if (element.type === "static_select" || element.type === "multi_static_select") {
    if (Boolean(element.options) === Boolean(element.option_groups)) return undefined
    return element.options ?? element.option_groups?.flatMap((group) => group.options)
  }
  return element.type === "checkboxes" || element.type === "radio_buttons" ? element.options : []
}

function initialChoices(element: InteractiveElement): readonly unknown[] {
  if ("initial_option" in element && element.initial_option) return [element.initial_option]
  if ("initial_options" in element) return element.initial_options ?? []
  return []
}

function repeated(
  ids: readonly { id: string | undefined; scope: string; path: readonly PropertyKey[] }[],
): BlockError[] {
  const seen = new Set<string>()
  return ids.flatMap(({ id, scope, path }) => {
    if (id === undefined) return []
    const key = `${scope} ${id}`
    if (seen.has(key)) return [{ pointer: pointerOf(path), message: `\`${id}\` already exists` }]
    seen.add(key)
    return []
  })
}
