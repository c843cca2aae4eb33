// Masks a card model, and what is quoted beside it: the secrets that rules name become visible masks with their length.
import { visible } from "../../blockkit/text.ts"
import { type CardModel } from "../../domain/case/card-model.ts"
import { maskSummary } from "../../domain/case/case.ts"
import { type Json, tryParseJson } from "../../domain/content/json.ts"
import type { ArgumentDifference } from "../../domain/send-back/proposals.ts"
import { maskApproval, maskFilled, maskText } from "../../domain/text/mask.ts"
import { createMasker } from "../../domain/text/masker.ts"
import { createTextFitter, type FittedLines } from "./text-fitter.ts"
import { valueInLines } from "./value-lines.ts"

/** A card model with its secrets masked. */
export interface MaskedModel {
  readonly model: CardModel
  readonly masked: number
  /** How many masks hide more than a single value. They must be revealed before anybody approves (R4). */
  readonly whole: number
  /** True if Details show more: what is behind a mask over more than one value, or a text that imitates a mask. */
  readonly altered: boolean
}

/** Masks a card model. Surfaces show only the masked model; digest and buttons stand for the unmasked one. */
export function maskModel(model: CardModel): MaskedModel {
  return maskBy(model, model.look.mask)
}

/** A card model with nothing masked, for a person who revealed it. A text that imitates a mask stays recognisable. */
export function revealModel(model: CardModel): CardModel {
  return maskBy(model, []).model
}

function maskBy(model: CardModel, words: readonly string[]): MaskedModel {
  const summary = maskSummary(model.summary, words)
  const named = { ...placeBy(model, words), ...changeBy(model, words), ...answerBy(model, words) }
  if (model.approval === null || model.kept === true)
    return { model: { ...model, ...named, summary }, masked: 0, whole: 0, altered: false }
  const approval = maskApproval(model.approval, words)
  const filled = model.votes.map(({ values }) => (values === null ? null : maskFilled(values, words)))
  const votes = model.votes.map((vote, at) => ({ ...vote, values: filled[at]?.filled ?? null }))
  const all = [approval, ...filled.filter((one) => one !== null)]
  const sum = (kind: "count" | "whole" | "imitations") => all.reduce((total, one) => total + one[kind], 0)
  const shown = { ...model, ...named, approval: approval.approval, summary, votes }
  return { model: shown, masked: sum("count"), whole: sum("whole"), altered: sum("whole") + sum("imitations") > 0 }
}

function placeBy({ workflow }: CardModel, words: readonly string[]): Pick<CardModel, "workflow"> {
  if (workflow === undefined) return {}
  const text = (one: string | null) => (one === null ? null : maskText(one, words))
  const { id, name, step } = workflow
  return { workflow: { id: maskText(id, words), name: text(name), step: text(step) } }
}

function changeBy({ changed }: CardModel, words: readonly string[]): Pick<CardModel, "changed"> {
  if (changed?.content === undefined) return {}
  const parts = changed.content.parts.map((name) => maskText(name, words))
  return { changed: { ...changed, content: { ...changed.content, parts } } }
}

function answerBy({ answers }: CardModel, words: readonly string[]): Pick<CardModel, "answers"> {
  if (answers === undefined) return {}
  const { masker } = createMasker(words)
  const shown = ({ name, proposed }: ArgumentDifference): ArgumentDifference => ({
    name: masker.text(name),
    ...(proposed !== undefined && { proposed: masker.members({ [name]: proposed })[name] ?? null }),
  })
  return {
    answers: {
      ...answers,
      calls: answers.calls.map((one) => ({ ...one, differences: one.differences.map(shown) })),
    },
  }
}

interface QuoteSize {
  readonly units: number
  readonly lines: number
}

/** A longer text is not tried as JSON. In UTF-16 units. */
const longestJson = 65_536

/** The shown part of a text, and what is left out; null for an empty text. In JSON text we mask by these names, too. */
export function quoted(value: Json, mask: readonly string[], size: QuoteSize): FittedLines | null {
  const { masker } = createMasker(mask)
  const read = masker.byName && typeof value === "string" ? heldIn(value) : value
  const masked = masker.value(read)
  const text = typeof masked === "string" ? masked : masked === null ? "" : valueInLines(masked)
  return text.trim() === "" ? null : createTextFitter().lines(visible(text), size)
}

/** The object or list, if a text is JSON of one; else the text. */
function heldIn(text: string): Json {
  const held = text.length > longestJson || !/^\s*[[{]/.test(text) ? undefined : tryParseJson(text)
  return held ?? text
}
