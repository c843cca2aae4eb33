// What a surface must have shown before it carries an approval (R4): asked when it is drawn, and when it is pressed.
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Surfaces } from "../../flow/ports.ts"
import { maskModel, revealModel } from "../text/masking.ts"
import { cardOf } from "./card.ts"
import { pagesOf } from "./details-pages.ts"

/** The surfaces of Slack. */
export const surfaces: Surfaces = {
  carries: (model, shown) => (shown.kind === "card" ? cardOf(model).complete : isReadToItsEnd(model, shown)),
}

function isReadToItsEnd(truth: CardModel, shown: { readonly pages: number; readonly revealed: boolean }): boolean {
  if (shown.revealed) return shown.pages >= pagesOf(revealModel(truth)).length
  const { model, whole } = maskModel(truth)
  return whole === 0 && shown.pages >= pagesOf(model).length
}
