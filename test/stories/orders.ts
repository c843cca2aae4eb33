// The orders of a stage, as a shell beside its bots changes them.
import { openStore } from "../store/support.ts"
import { type Stage, sealKey } from "./world.ts"

/** The order book of a stage's installation. */
export async function ordersOf({ installation }: Pick<Stage, "installation">) {
  const { store } = await openStore({ installation, key: sealKey, revision: null })
  return store.config.orders
}
