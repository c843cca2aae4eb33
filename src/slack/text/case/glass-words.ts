// What a card, Details and the form say of breaking glass: before it, and of the review afterwards.
import type { CardModel } from "../../../domain/case/card-model.ts"
import type { Verb } from "../../../domain/policy/judge.ts"
import type { GlassNow } from "../../../flow/ports/inbound.ts"
import { code, type Line, listed, mention, quote, type Span, say, sentence } from "../../lines/spans.ts"
import { createTextFitter, type TextFitter } from "../../lines/text-fitter.ts"

const reasonUnits = 200
const ruleUnits = 80

/** What a review that says "not right" changes. */
export const nothingUndone = "Nothing is undone by that: docs/approving.md says what to do now."

/** The name and the sign of an approval by breaking glass. */
export const brokenName = { sign: "⚠", name: "Approved by breaking glass" } as const

/** True if the glass was broken for this decision. */
export function isBrokenOn({ glass }: CardModel, verb: Verb): boolean {
  return glass !== undefined && verb === "approve"
}

/** What reviewers said about breaking the glass, or who is to say it; none if the glass was not broken. */
export function glassLines({ glass }: CardModel, fitter: TextFitter): readonly Line[] {
  if (glass === undefined) return []
  const said = glass.reviews.map(({ user, right, reason }) => {
    if (right) return sentence`${mention(user)} says that breaking the glass was right.`
    const why = quote(fitter.word(reason ?? "", reasonUnits))
    return sentence`${mention(user)} says that breaking the glass was not right: ${why}. ${nothingUndone}`
  })
  if (glass.left) return [...said, [say("Nobody said in time whether breaking the glass was right.")]]
  return glass.owed ? [...said, [say(glass.here ? askedHere : askedElsewhere)]] : said
}

const askedHere =
  "Was it right to break the glass? Somebody else than who broke it and who asked for this says so here."
const askedElsewhere = "Nobody has said yet whether it was right to break the glass. Its reviewers are asked."

/** What the form says before somebody breaks the glass. */
export const breakingWords =
  "You approve this alone, without those whom the rules ask. All of them are told at once, " +
  "and somebody else has to say afterwards whether it was right."

/** The label of the field in which the name of the tool, or the id of the case, is typed. */
export function typedLabel(names: "tool" | "case"): string {
  return names === "tool" ? "Type the name of the tool" : "Type the id of this case"
}

/** What stands below that field, and beside it if something else was typed. */
export function typedHint(word: string): string {
  return `To show that you mean this one: ${word}`
}

const maxNamed = 20

/** Who could break the glass of a case, or why nobody may. */
export function breakersLine(glass: GlassNow): Line {
  if (glass.kind === "people") {
    const { users, more } = glass
    const named = users.slice(0, maxNamed).map(mention)
    const who = listed(more === 0 ? named : [...named, say(`perhaps ${more} more`)], "or")
    return sentence`${who} may break the glass in Details: alone, with a reason, and somebody reviews it afterwards.`
  }
  const nobody = "Nobody may break the glass"
  switch (glass.why) {
    case "stopped":
      return [say(`${nobody} while this is stopped.`)]
    case "nobody-listed":
      return [say(`${nobody}: nobody is left whom every rule that asks lists for that.`)]
    case "no-glass":
      return sentence`${nobody}: rule ${ruleName(glass.rule)} does not have that.`
    case "unknown-requester":
      return sentence`${nobody}: nobody knows who asked for this, and rule ${ruleName(glass.rule)} does not allow that.`
    case "open-reviews":
      return sentence`${nobody}: of rule ${ruleName(glass.rule)} too much broken glass waits for its review.`
  }
}

function ruleName(name: string): Span {
  return code(createTextFitter().word(name, ruleUnits))
}
