// Identity links and erasures in words, for the terminal.
import type { Config } from "../../config.ts"
import { withRaisedRules } from "../../domain/limit/limit.ts"
import { holdInWords } from "../../domain/order/hold.ts"
import { idsOf } from "../../domain/people/human.ts"
import { foldName, personKey, slackIdOf } from "../../domain/people/person.ts"
import type { Approver } from "../../domain/rule/rule.ts"
import type { Erasure, Left } from "../../store/admin/erase.ts"
import type { LinkView } from "../../store/identity/identity-links.ts"

/** An identity link: which person it means, since when, and who made it. Below it: who contests it. */
export function linkWords({ email, person, at, by, contested, contestedAt }: LinkView): readonly string[] {
  const how = by === null ? "when first met" : `by ${by}`
  const line = `${email}  ${personKey(person)}  pinned ${timeOf(at)} ${how}`
  if (contested === null) return [line]
  const now = personKey(contested)
  return [
    `${line}  REFUSED`,
    `  since ${timeOf(contestedAt ?? at)} it means ${now}: nobody decides by it`,
    `  if that is right: countersign people link ${email} ${now}`,
  ]
}

/** What an erasure erased, and what it could not reach. */
export function erasureWords(person: string, erasure: Erasure): readonly string[] {
  const { erasables, receipts, cases, links, left, unread } = erasure
  const what = `${erasables} texts and ${receipts} receipts, in ${cases} cases and ${links} pinned addresses`
  return [
    `erased of ${person}: ${what}; that they voted stays, by this id`,
    ...left.map((one) => `left: case ${one.caseId} ${leftInWords(one)}`),
    ...(unread === 0 ? [] : [`left: ${unread} entries ${unreadWords}`]),
    "not ours to erase: messages in Slack, what the platform's own records say, and what webhooks have sent",
  ]
}

const unreadWords = "of the ledger are gone or not ours, and what they told of; see countersign ledger verify"

function leftInWords(left: Left): string {
  if (left.why !== "on-hold") return leftWords[left.why]
  return `is on hold (${holdInWords(left.hold)}); it is erased once no hold covers it`
}

const leftWords = {
  open: "is not closed yet; run this again when it is",
  frozen: "is frozen; an operator has to look at it first",
  unreadable: "has a text that cannot be read and may be theirs; countersign ledger verify names it",
  gone: "has lost its record, and its texts are still there; see countersign ledger verify",
} as const satisfies Record<Exclude<Left["why"], "on-hold">, string>

/** Says where the config still names the person: there we would meet them again. */
export function listedIn(
  { rules, identities }: Pick<Config, "rules" | "identities">,
  { person, names }: { readonly person: string; readonly names: readonly string[] },
): readonly string[] {
  const known = new Set(names.map(foldName))
  const naming = withRaisedRules(rules).filter(({ approvers, standIns = [], breakGlass }) =>
    [...approvers, ...standIns, ...(breakGlass?.approvers ?? []), ...(breakGlass?.reviewers ?? [])].some((approver) =>
      standsFor(approver, person, known),
    ),
  )
  const again = "still lists them, so they will be known again when it is next used"
  const listed = identities.some((one) => personKey(one) === person)
  const others = idsOf(slackIdOf(person), identities)
    .map(personKey)
    .filter((id) => id !== person)
  return [
    ...naming.map(({ name }) => `note: rule ${name} ${again}`),
    ...(listed ? ["note: identities of the config still name them"] : []),
    ...others.map((id) => `note: identities list ${id} as theirs too: erase that id by itself`),
  ]
}

function standsFor(approver: Approver, person: string, names: ReadonlySet<string>): boolean {
  switch (approver.kind) {
    case "email":
      return names.has(foldName(approver.email))
    case "user":
      return (
        person.endsWith(`:${approver.id}`) && (approver.team === undefined || person.startsWith(`${approver.team}:`))
      )
    case "group":
      return false
  }
}

/** A moment (epoch ms) for the terminal. */
export function timeOf(at: number): string {
  return new Date(at).toISOString()
}
