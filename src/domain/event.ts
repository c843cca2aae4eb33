// What can happen to a case: the body of a ledger entry. Some events are also told in the card's thread.

import type { Place } from "./case.ts"
import type { Verb } from "./judge.ts"
import type { Surface } from "./vote.ts"

/** `at` is epoch milliseconds; people are `team:user`. */
export type CaseEvent = { readonly at: number } & CaseFact

type CaseFact =
  | {
      readonly kind: "opened"
      readonly approval: string
      readonly instance: string
      readonly revision: number
      readonly digest: string
      readonly rules: readonly string[]
    }
  | {
      readonly kind: "revised"
      readonly revision: number
      readonly digest: string
      readonly rules: readonly string[]
      readonly why: "content" | "rules"
      readonly voided: readonly string[]
    }
  | { readonly kind: "placed"; readonly route: string; readonly place: Place; readonly revision: number }
  | {
      readonly kind: "voted"
      readonly person: string
      readonly name: string
      readonly subject: string
      readonly verb: Verb
      readonly reason: string | null
      readonly values: string | null
      readonly revealed: boolean
      readonly rules: readonly string[]
      readonly revision: number
      readonly digest: string
      readonly surface: Surface
      readonly interaction: string
      readonly mac: string
    }
  | { readonly kind: "withdrawn"; readonly person: string; readonly interaction: string }
  | { readonly kind: "revealed"; readonly person: string; readonly revision: number; readonly digest: string }
  | { readonly kind: "voided"; readonly person: string; readonly why: string }
  | {
      readonly kind: "refused"
      readonly person: string
      readonly verb: Verb
      readonly why: string
      readonly interaction: string
    }
  | {
      readonly kind: "decided"
      readonly decision: string
      readonly verb: Verb
      readonly people: readonly string[]
      readonly subject: string
      readonly reason: string | null
      readonly digest: string
      /** `receiptHash` of the decision's receipt, which itself lies beside the ledger. */
      readonly receipt?: string
    }
  | { readonly kind: "attempted"; readonly decision: string; readonly attempt: number; readonly result: string }
  | { readonly kind: "reopened"; readonly decision: string; readonly why: string }
  | {
      readonly kind: "resolved"
      readonly decision: string
      readonly verb: Verb
      readonly resolvedBy: string | null
      readonly sandbox: boolean
    }
  | {
      readonly kind: "elsewhere"
      readonly status: string
      readonly resolvedBy: string | null
      readonly claimsToBeOurs: boolean
    }
  | { readonly kind: "missed"; readonly times: number }
  | { readonly kind: "found" }
  | { readonly kind: "vanished" }
  | { readonly kind: "recovered"; readonly decision: string; readonly verb: Verb }
  | { readonly kind: "frozen"; readonly why: string }
  | { readonly kind: "closed" }

const toldKinds: readonly CaseEvent["kind"][] = [
  "voted",
  "voided",
  "withdrawn",
  "decided",
  "reopened",
  "resolved",
  "elsewhere",
  "vanished",
  "recovered",
  "revised",
  "frozen",
]

/** True for what people read in the thread. */
export function isTold(event: CaseEvent): boolean {
  return toldKinds.includes(event.kind)
}
