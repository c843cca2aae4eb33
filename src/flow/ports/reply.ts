// What we tell a person of their act, as a value. The surfaces turn it into words.
import type { CardModel } from "../../domain/case/card-model.ts"
import type { Case, Outcome, Question } from "../../domain/case/case.ts"
import type { Progress } from "../../domain/case/vote.ts"
import type { Approval } from "../../domain/content/approval.ts"
import type { EndedRun } from "../../domain/content/run-report.ts"
import type { Orderer } from "../../domain/people/orderer.ts"
import type { Barrier, SlackId } from "../../domain/people/person.ts"
import type { Refusal, Verb } from "../../domain/policy/judge.ts"

/** The answer to one interaction of a button, form or command. */
export type Answer =
  | { readonly kind: "counted"; readonly verb: Verb; readonly progress: readonly Progress[] }
  /** The same vote of theirs counts already, so we add nothing. */
  | { readonly kind: "again"; readonly verb: Verb; readonly progress: readonly Progress[] }
  | {
      readonly kind: "resolved"
      readonly verb: Verb
      readonly calledBack?: true
      /** Set if they gave the result of a call that people run. */
      readonly result?: true
      readonly resolvedBy: string | null
    }
  /** Their rejection counts, but we do not tell the platform (R12). */
  | { readonly kind: "held" }
  /** Their decision is on its way. `barred`: the platform refuses our own credential, and has not heard of it. */
  | { readonly kind: "unknown-outcome"; readonly verb: Verb; readonly barred: boolean }
  | { readonly kind: "reopened"; readonly why: string }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** `change` if the surface can show what changed. */
  | { readonly kind: "changed"; readonly change: Change | null }
  | { readonly kind: "replaced" }
  /** They pressed in a channel that another company also reads, which no rule allows. */
  | { readonly kind: "shared-channel" }
  | { readonly kind: "unapprovable" }
  /** A proposed config under which too few people could approve the next one: `able` of `quorum` (R16). */
  | { readonly kind: "locked-out"; readonly able: number; readonly quorum: number }
  /** The run is over: nothing is left to approve. */
  | { readonly kind: "run-over"; readonly status: EndedRun }
  /** The surface that they approved on did not show everything, or they did not read it to its end (R4). */
  | { readonly kind: "unseen" }
  | { readonly kind: "late" }
  /** Redis lost its last second, or may have: earlier presses no longer count, and we ask again (R17). */
  | { readonly kind: "asked-anew" }
  /** Redis is older than what we know: nobody can approve before an operator has looked (R17). */
  | { readonly kind: "rolled-back" }
  /** A stop covers the case: nobody can approve until it ends (R21). `perhaps`: only because a field is null. */
  | {
      readonly kind: "stopped"
      readonly by: Orderer
      readonly at: number
      readonly reason: string
      readonly perhaps: boolean
    }
  /** A stop covered the case when they pressed, and has ended since, at `at` (epoch ms): they press again (R21). */
  | { readonly kind: "stop-ended"; readonly at: number }
  | { readonly kind: "reason-missing"; readonly verb: Verb }
  /** Names of the fields that have no value. */
  | { readonly kind: "input-missing"; readonly names: readonly string[] }
  | { readonly kind: "subject-too-long"; readonly length: number }
  /** Somebody was faster: who they are (Slack user ids), and what they decided. */
  | {
      readonly kind: "already"
      readonly verb: Verb
      /** Set if the requester called the request back. */
      readonly calledBack?: true
      readonly users: readonly string[]
      readonly pending: boolean
    }
  | { readonly kind: "elsewhere"; readonly outcome: Outcome }
  /** The time to vote is over (R13). `rejected`: the case was rejected because nobody decided in time. */
  | { readonly kind: "expired"; readonly rejected: boolean }
  | { readonly kind: "withdrawn" }
  /** They said whether breaking the glass was right. `left`: how many rules still wait for a reviewer of theirs. */
  | { readonly kind: "glass-reviewed"; readonly right: boolean; readonly left: number }
  | { readonly kind: "review-refused"; readonly why: ReviewRefusal }
  /** Their question is asked. `to`: whom. */
  | { readonly kind: "question-asked"; readonly to: Question["to"] }
  /** Their question is not asked. `said`: what they wrote, so that they still have it; "" if it was a press. */
  | { readonly kind: "not-asked"; readonly why: AskRefusal; readonly said: string }
  | { readonly kind: "answer-given"; readonly asker: SlackId }
  /** Their answer was not taken. `first`: the answer that was there before. */
  | {
      readonly kind: "not-answered"
      readonly why: AnswerRefusal
      readonly said: string
      readonly first?: NonNullable<Question["answer"]>
    }
  /** They ended a rejection that lasted: people are asked again. */
  | { readonly kind: "asks-again" }
  /** There is no rejection that lasts, so people are asked already. */
  | { readonly kind: "not-lasting" }
  /** There is no vote of theirs to withdraw. */
  | { readonly kind: "no-vote" }
  /** The platform does not know the approval now: its database may be away. We try again by ourselves. */
  | { readonly kind: "missing" }
  | { readonly kind: "frozen" }
  | { readonly kind: "unknown-case" }
  /** They have the card before them, but may not open the case. */
  | { readonly kind: "hidden"; readonly why: Barrier }
  /** Looking failed. This says nothing about the case, which may be decided by now. */
  | { readonly kind: "not-shown"; readonly failure: ShowFailure }
  /** The platform does not answer. We try again by ourselves. */
  | { readonly kind: "platform-down" }
  /** The platform refuses our own credential, or cannot check it, so we can neither read nor decide. */
  | { readonly kind: "credential-refused"; readonly retrying: boolean }
  | { readonly kind: "slack-down" }
  /** Slack refuses a question that we have to ask, and will refuse it again. `word` is Slack's own. */
  | { readonly kind: "slack-refuses"; readonly word: string }
  | { readonly kind: "other-config" }
  /** The press came before we had noted where the card is. We carry it out within seconds. */
  | { readonly kind: "early" }
  /** A failure on our side that another try would not mend. */
  | { readonly kind: "failed-for-good" }
  /** A failure on our side. We try the interaction again by ourselves. */
  | { readonly kind: "failed" }

/**
 * Why somebody may not say whether breaking the glass was right. `linked`: they stand in for whoever broke it, or the
 * other way round. `none-owed`: there is nothing to say any more. `unsettled`: nobody knows yet whether it took effect.
 */
export type ReviewRefusal = "breaker" | "requester" | "linked" | "not-reviewer" | "none-owed" | "unsettled"

/**
 * Why nothing can be asked. `over`: nobody decides the case any more. `nobody`: nobody can be asked. `asked-out`: the
 * case had all its questions. `too-often`: whoever is asked had too many in an hour. `not-posted`: Slack took no
 * message, and the question stands in the thread alone.
 */
export type AskRefusal = "over" | "changed" | "not-voter" | "nobody" | "asked-out" | "too-often" | "not-posted"

/** Why an answer is not taken. `not-asked`: they are not asked, or not any more. */
export type AnswerRefusal = "over" | "not-asked" | "answered" | "shared-channel"

/** Why we could not show something. `word` is Slack's own. */
export type ShowFailure =
  | { readonly cause: "platform-down" | "credential-refused" | "slack-down" | "failed" }
  | { readonly cause: "slack-refuses"; readonly word: string }

/** New content: what is there now, and what the person saw; null if we no longer know, or if only rules changed. */
export interface Change {
  readonly before: Approval | null
  readonly now: CardModel
}

/** What became of an interaction: the answer, and the case as it is now, for the surface of the interaction. */
export interface Decided {
  readonly answer: Answer
  readonly case: Case | null
}
