// Who gave or ended an order: somebody in Slack, at a shell or over HTTP, or Countersign itself.
import type { z } from "zod"
import type { Frozen } from "../content/record/frozen.ts"
import { type Person, personKey } from "./person.ts"
import type { ordererSchema } from "./record/orderer-record.ts"

/** Who gave or ended an order. The name is erasable; the id of somebody in Slack stays. */
export type Orderer = Frozen<z.infer<typeof ordererSchema>>

/** Who stops everything if nobody knows which orders are in force. */
export const unknownOrderer: Orderer = { kind: "countersign", why: "unknown" }

/** Who ends an order whose time is over. */
export const untilEnder: Orderer = { kind: "countersign", why: "until" }

/** Somebody in Slack who gives an order. */
export function ordererOf({ team, user, name }: Pick<Person, "team" | "user" | "name">): Orderer {
  return { kind: "person", team, user, name }
}

/** Who gave an order, as an entry of the ledger says it: what may be erased is in `name` alone. */
export interface OrdererEntry {
  readonly by: "person" | "operator" | "caller" | "countersign:unknown" | "countersign:until"
  /** Somebody in Slack, as `team:user`; null for all others. */
  readonly person: string | null
  /** A name in Slack, an account, or the subject of a token; null for Countersign itself. */
  readonly name: string | null
}

/** Puts into an entry who gave an order. */
export function ordererEntry(by: Orderer): OrdererEntry {
  switch (by.kind) {
    case "person":
      return { by: by.kind, person: personKey(by), name: by.name }
    case "operator":
    case "caller":
      return { by: by.kind, person: null, name: by.name }
    case "countersign":
      return { by: `${by.kind}:${by.why}`, person: null, name: null }
  }
}

/** The same without a name. */
export function withoutName(by: Orderer): Orderer {
  return by.kind === "countersign" ? by : { ...by, name: null }
}

/** Who gave an order, for terminals, logs and `/status`: `Ada (T1:U1)`, `operator ops`, `countersign:unknown`. */
export function ordererWords(by: Orderer): string {
  switch (by.kind) {
    case "person":
      return `${by.name ?? "somebody"} (${personKey(by)})`
    case "operator":
    case "caller":
      return `${by.kind} ${by.name ?? "(erased)"}`
    case "countersign":
      return `${by.kind}:${by.why}`
  }
}

/** True if both are the same person in Slack. Nobody else is known well enough to be the same. */
export function isSameOrderer(one: Orderer, other: Orderer): boolean {
  return one.kind === "person" && other.kind === "person" && personKey(one) === personKey(other)
}
