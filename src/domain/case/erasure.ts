// Erases a person from a closed case: their text and names go. Their votes stay, under their Slack id. Pure.
import { type Orderer, withoutName } from "../people/orderer.ts"
import { foldName, personKey, type SlackId } from "../people/person.ts"
import { type Case, type Outcome, ownPlace } from "./case.ts"
import { type Decision, type Vote, withVotes } from "./vote.ts"

/** Takes the place of a name or address. */
export const erasedName = "(erased)"

/** Somebody to erase. */
export interface Erased {
  /** `team:user`. */
  readonly person: string
  /** All their names, folded (`foldName`): addresses, subjects, names. */
  readonly names: ReadonlySet<string>
}

/** The case without the person's text and names; unchanged if it has none. The MACs of changed votes no longer hold. */
export function eraseFrom(current: Case, erased: Erased): Case {
  const votes = current.votes.map((vote) => withoutText(vote, erased))
  const { decision, summary } = current
  const next: Case = {
    ...withoutArguments(current, erased),
    ...withoutReviewer(current, erased),
    ...withoutWritten(current, erased),
    votes,
    revision: withoutRejector(current.revision, erased),
    decision: decision === null ? null : withoutWordsOf(decision, erased),
    outcome: withoutResolver(current.outcome, erased),
    // If an approval is gone, its case keeps the verdict, which names the voters.
    sending: decision !== null && isDecisionOf(decision, erased) ? null : current.sending,
    resumption: withoutWords(current.resumption, erased),
    ...(current.stopped === undefined ? {} : { stopped: withoutStopper(current.stopped, erased) }),
    summary: isNamed(summary.requester, erased) ? { ...summary, requester: erasedName } : summary,
  }
  if (JSON.stringify(next) === JSON.stringify(current)) return current
  // The cards name the person, so we have to blank them at once.
  return current.cards.some((card) => ownPlace(card) !== null) ? { ...next, time: { ...next.time, blankAt: 0 } } : next
}

/** The decision without the person's text: in their votes or, of a repeat, in the reason of the first rejection. */
function withoutWordsOf(decision: Decision, erased: Erased): Decision {
  if (decision.by !== "again") return withVotes(decision, (vote) => withoutText(vote, erased))
  return decision.as.person === erased.person ? { ...decision, reason: null } : decision
}

function isDecisionOf(decision: Decision, { person }: Erased): boolean {
  return decision.by === "again"
    ? decision.as.person === person
    : decision.votes.some((vote) => personKey(vote.person) === person)
}

/**
 * The case without arguments, if they or what was proposed instead name the person: of the arguments only the digest is
 * left. What the person proposed goes, too.
 */
function withoutArguments(current: Case, erased: Erased): Case {
  const { kept, ...next } = current
  if (kept === undefined) return current
  const { filled, earlier, ...rest } = kept
  if (isNamedIn([rest, filled, earlier?.map(({ values }) => values)], erased)) return next
  const isTheirs = current.decision?.votes.some(({ person }) => personKey(person) === erased.person) === true
  const others = earlier?.filter(({ by }) => by !== erased.person)
  if (!isTheirs && others?.length === earlier?.length) return current
  const left = {
    ...(isTheirs || filled === undefined ? {} : { filled }),
    ...(others === undefined ? {} : { earlier: others }),
  }
  return { ...next, kept: { ...rest, ...left } }
}

/** The broken glass without the person's name and reason; nothing if it was not broken. */
function withoutReviewer({ glass }: Case, { person }: Erased): Pick<Case, "glass"> {
  if (glass === undefined) return {}
  const reviews = glass.reviews.map((review) =>
    personKey(review.person) === person ? { ...review, name: erasedName, reason: null } : review,
  )
  return { glass: { ...glass, reviews } }
}

/** The questions without what the person wrote; nothing if there are none. */
function withoutWritten({ questions }: Case, { person }: Erased): Pick<Case, "questions"> {
  if (questions === undefined) return {}
  const written = <Text extends { readonly by: SlackId; readonly text: string }>(one: Text): Text =>
    personKey(one.by) === person ? { ...one, text: erasedName } : one
  return {
    questions: questions.map((one) => {
      const { answer, ...question } = written(one)
      return answer === undefined ? question : { ...question, answer: written(answer) }
    }),
  }
}

/** True if any text in the value names the person. */
function isNamedIn(value: unknown, erased: Erased): boolean {
  if (typeof value === "string") return isNamed(value, erased)
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([name, one]) => isNamed(name, erased) || isNamedIn(one, erased))
}

/** The revision without the person in its news, where they may be named because they rejected a similar call. */
function withoutRejector(revision: Case["revision"], erased: Erased): Case["revision"] {
  const { news } = revision
  if (news?.rejected === undefined || !isNamed(news.rejected.by, erased)) return revision
  return { ...revision, news: { ...news, rejected: { ...news.rejected, by: null, reason: null } } }
}

function withoutText(vote: Vote, { person }: Erased): Vote {
  if (personKey(vote.person) !== person) return vote
  return { ...vote, name: erasedName, subject: erasedName, reason: null, values: null, mac: "" }
}

function withoutResolver(outcome: Outcome | null, erased: Erased): Outcome | null {
  if (outcome === null || outcome.kind === "vanished") return outcome
  return isNamed(outcome.resolvedBy, erased) ? { ...outcome, resolvedBy: erasedName } : outcome
}

/** True if this person gave an order, by their id or by one of their names. */
export function isOrderOf(by: Orderer, erased: Erased): boolean {
  if (by.kind === "countersign") return false
  return (by.kind === "person" && personKey(by) === erased.person) || isNamed(by.name, erased)
}

/** A stop of the person without their name and reason; unchanged if it is somebody else's. */
export function withoutStopper<Told extends { readonly by: Orderer; readonly reason: string }>(
  stop: Told,
  erased: Erased,
): Told {
  return isOrderOf(stop.by, erased) ? { ...stop, by: withoutName(stop.by), reason: erasedName } : stop
}

/** The resumption without words about the run that name the person. */
function withoutWords(resumption: Case["resumption"], erased: Erased): Case["resumption"] {
  if (resumption?.kind === "waiting" && resumption.stopped !== undefined)
    return { ...resumption, stopped: withoutStopper(resumption.stopped, erased) }
  if (resumption?.kind === "withheld" && isNamed(resumption.why, erased)) return { ...resumption, why: erasedName }
  if (resumption?.kind !== "ended" || !isNamed(resumption.end.detail, erased)) return resumption
  return { ...resumption, end: { ...resumption.end, detail: erasedName } }
}

/** True if a text is the person's id or one of their names, or holds one of their addresses among other words. */
export function isNamed(text: string | null, { person, names }: Erased): boolean {
  if (text === null) return false
  const folded = foldName(text)
  const words = folded.split(/[^\p{L}\p{N}@._%+-]+/u).map((word) => word.replaceAll(/^\.+|\.+$/g, ""))
  const mentioned = words.some((word) => word.includes("@") && names.has(word))
  return text === person || text === `slack:${person}` || names.has(folded) || mentioned
}
