// What a person is told of their act, as a value; the surfaces turn it into words.
import type { Outcome } from "../domain/case.ts"
import type { Refusal, Verb } from "../domain/judge.ts"
import type { Progress } from "../domain/vote.ts"

/** The answer to one press of a button, form or command. */
export type Answer =
  | { readonly kind: "counted"; readonly verb: Verb; readonly progress: readonly Progress[] }
  | { readonly kind: "decided"; readonly verb: Verb }
  | { readonly kind: "resolved"; readonly verb: Verb; readonly resolvedBy: string | null }
  | { readonly kind: "unknown-outcome"; readonly verb: Verb }
  | { readonly kind: "reopened"; readonly why: string }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "changed" }
  | { readonly kind: "replaced" }
  | { readonly kind: "unapprovable" }
  | { readonly kind: "late" }
  | { readonly kind: "reason-missing"; readonly verb: Verb }
  /** Names of the fields that have no value. */
  | { readonly kind: "input-missing"; readonly names: readonly string[] }
  | { readonly kind: "subject-too-long"; readonly length: number }
  /** Somebody was faster: who, and what they decided. `users` are Slack user ids. */
  | { readonly kind: "already"; readonly verb: Verb; readonly users: readonly string[]; readonly pending: boolean }
  | { readonly kind: "elsewhere"; readonly outcome: Outcome }
  | { readonly kind: "missing" }
  | { readonly kind: "frozen" }
  | { readonly kind: "unknown-case" }
  | { readonly kind: "platform-down"; readonly retrying: boolean }
  | { readonly kind: "slack-down" }
  | { readonly kind: "other-config" }
  /** A failure on our side; `retrying` says whether the press is tried again by itself. */
  | { readonly kind: "failed"; readonly retrying: boolean }
