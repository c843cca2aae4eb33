// Whoever sits at this shell.
import { userInfo } from "node:os"
import type { Orderer } from "../../domain/people/orderer.ts"

/** Whoever sits at this shell, by their account there, as who gives or ends an order. */
export function shellOperator(): Orderer {
  return { kind: "operator", name: userInfo().username }
}
