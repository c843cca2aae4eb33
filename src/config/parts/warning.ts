// What works but deserves a word to the operator: what it is, why it matters, what to do.

import { isLoopback } from "../schema/units.ts"
import { type Remark, remarksOn, type Use } from "./credential.ts"

/** One such thing; `what` names the instance. */
export type Warning = Remark

/** An instance as far as it deserves words. */
interface Instance {
  readonly name: string
  readonly url: string
  readonly token: string | undefined
  readonly resolving: { readonly kind: "same" | "delegated" } | { readonly kind: "token"; readonly token: string }
}

/** The warnings about an instance. `now` is epoch ms. */
export function warningsOf({ name, url, token, resolving }: Instance, now: number): readonly Warning[] {
  const uses: readonly Use[] = resolving.kind === "same" ? ["read", "resolve"] : ["read"]
  const remarks = [
    ...remarksOnWay(new URL(url)),
    ...(token === undefined ? [NO_TOKEN] : remarksOn(token, uses, now)),
    ...(resolving.kind === "token" ? remarksOn(resolving.token, ["resolve"], now) : []),
  ]
  const once = new Map(remarks.map((remark) => [remark.what, remark]))
  return [...once.values()].map((remark) => ({ ...remark, what: `instance ${name}: ${remark.what}` }))
}

function remarksOnWay(url: URL): readonly Remark[] {
  if (url.protocol !== "http:" || isLoopback(url)) return []
  return [
    {
      what: `${url.href.replace(/\/$/, "")} is not https, so its credential travels unprotected`,
      why: "whoever listens on the way has the credential, and can decide in a person's place",
      todo: "use https, or let nobody but Countersign and the platform reach that network",
    },
  ]
}

const NO_TOKEN: Remark = {
  what: "no token, so every call goes without a credential",
  why: "an instance that takes such calls lets whoever reaches it decide in a person's place",
  todo: "switch authorization on there and set token (PLATFORM_TOKEN), or let nobody but Countersign reach it",
}
