// Identity links: e-mails of the config, each with the Slack id that it had when first seen (R7, port `IdentityLinks`).
import { personKey, type SlackId } from "../../domain/people/person.ts"
import type { IdentityLink, IdentityLinks } from "../../flow/ports.ts"
import { scanOwner } from "../redis/owner.ts"
import { partsOf } from "../redis/scan.ts"
import {
  changeLink,
  type LinkPlace,
  type LinksOptions,
  linkName,
  readLink,
  renewLink,
  type StoredLink,
} from "./identity-link.ts"

/** A link as operators see it. `at` is epoch ms. */
export interface LinkView extends IdentityLink {
  readonly email: string
  readonly at: number
  /** The account of the operator who linked it; null if it was linked when first seen. */
  readonly by: string | null
  /** When we saw that the address means somebody else. */
  readonly contestedAt: number | null
}

/** Who changes a link, and when (epoch ms). `by` is the operator's account. */
export interface Operator {
  readonly by: string
  readonly at: number
}

/** The links, with what only an operator may do. Every call throws `StoreError`: `tampered`, or no answer. */
export interface OperatedLinks extends IdentityLinks {
  /** All links to somebody, by address. */
  list(): Promise<readonly LinkView[]>
  /** Links an address to a person, even if it meant somebody else, and ends its dispute. Writes a ledger entry. */
  link(email: string, to: SlackId, operator: Operator): Promise<void>
  /** Links an address to nobody, until we meet it again. False if it linked to nobody before. Writes a ledger entry. */
  unlink(email: string, operator: Operator): Promise<boolean>
}

/** Makes the links of an installation. */
export function createIdentityLinks(options: LinksOptions): OperatedLinks {
  const nameOf = (email: string) => linkName(options.seal, email)
  return {
    read: async (email) => {
      // R14: if somebody changes a link, its address means the earlier person until this process has read the change.
      // No commit tells us of the change.
      await options.freshness.catchUp()
      return pinnedOf(await readLink(options, nameOf(email)))
    },
    pin: async (email, to, at) => {
      // We believe whoever was first: us or another replica.
      const known = await changeLink(options, nameOf(email), (before) => {
        if (before !== null && before.person !== null) return null
        const next = { email, person: idOf(to), at, by: null, contested: null }
        return { next, event: { kind: "pinned", at, email, person: personKey(to) } }
      })
      return pinnedOf(known) ?? { person: to, contested: null }
    },
    contest: (email, now, at) => contest(options, email, { now, at }),
    list: () => listLinks(options),
    link: (email, to, operator) => link(options, email, { to, ...operator }),
    unlink: (email, operator) => unlink(options, email, operator),
  }
}

async function contest(
  options: LinksOptions,
  email: string,
  { now, at }: { readonly now: SlackId; readonly at: number },
): Promise<void> {
  await changeLink(options, linkName(options.seal, email), (before) => {
    const known = before?.contested ?? null
    if (before === null || before.person === null || (known !== null && isSamePerson(known.now, now))) return null
    const person = personKey(before.person)
    const next = { ...before, contested: { now: idOf(now), at } }
    return { next, event: { kind: "contested", at, email, person, now: personKey(now) } }
  })
}

async function link(
  options: LinksOptions,
  email: string,
  { to, by, at }: Operator & { readonly to: SlackId },
): Promise<void> {
  await renewLink(options, linkName(options.seal, email), (before) => {
    const was = before?.person ?? null
    const next = { email: email.toLowerCase(), person: idOf(to), at, by, contested: null }
    const told = { at, email, person: personKey(to), before: was === null ? null : personKey(was), by }
    return { next, event: { kind: "linked", ...told } }
  })
}

async function unlink(options: LinksOptions, email: string, { by, at }: Operator): Promise<boolean> {
  let done = false
  await renewLink(options, linkName(options.seal, email), (before) => {
    done = before !== null && before.person !== null
    if (before === null || before.person === null) return null
    const next = { ...before, email: null, person: null, at, by, contested: null }
    return { next, event: { kind: "unlinked", at, email, person: personKey(before.person), by } }
  })
  return done
}

/** All addresses that link to somebody. Throws `StoreError`. */
export async function listLinks(options: LinkPlace): Promise<readonly LinkView[]> {
  const links = await Promise.all((await linkNames(options)).map((name) => readLink(options, name)))
  const views = links.flatMap((one) => (one === null ? [] : viewOf(one)))
  return views.toSorted((a, b) => a.email.localeCompare(b.email))
}

/** The names of all links in Redis. */
async function linkNames({ redis, keys }: LinkPlace): Promise<readonly string[]> {
  const names = new Set<string>()
  const prefix = keys.identityLink("")
  const scan = (from: string) => scanOwner(redis, keys.tag, { from, match: `${prefix}*` })
  for await (const found of partsOf("scan identity links", scan))
    for (const key of found) names.add(key.slice(prefix.length))
  return [...names]
}

function viewOf(stored: StoredLink): readonly LinkView[] {
  const { email, at, by, contested } = stored
  const pinned = pinnedOf(stored)
  return pinned === null || email === null ? [] : [{ ...pinned, email, at, by, contestedAt: contested?.at ?? null }]
}

function pinnedOf(stored: StoredLink | null): IdentityLink | null {
  const person = stored?.person ?? null
  return person === null ? null : { person, contested: stored?.contested?.now ?? null }
}

function isSamePerson(one: SlackId, other: SlackId): boolean {
  return personKey(one) === personKey(other)
}

function idOf({ team, user }: SlackId): SlackId {
  return { team, user }
}
