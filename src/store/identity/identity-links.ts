// E-mails of the config, pinned to the Slack id that they meant when first seen (R7, port `Pins`), and what an operator may change of them.
import { personKey, type SlackId } from "../../domain/person.ts"
import type { Pinned, Pins } from "../../flow/ports.ts"
import { attempt } from "../errors.ts"
import {
  changePin,
  type PinPlace,
  type PinsOptions,
  pinName,
  readPin,
  renewPin,
  type StoredPin,
} from "./identity-link.ts"

/** A pin as operators see it. `at` is epoch ms. */
export interface PinView extends Pinned {
  readonly email: string
  readonly at: number
  /** The account of the operator who linked it; null if it was pinned when first seen. */
  readonly by: string | null
  /** When it was seen to mean somebody else. */
  readonly contestedAt: number | null
}

/** Who changes a pin, and when (epoch ms). `by` is the operator's account. */
export interface Operator {
  readonly by: string
  readonly at: number
}

/** The pins, with what only an operator may do. Every call throws `StoreError`: `tampered`, or no answer. */
export interface OperatedPins extends Pins {
  /** All that are pinned to somebody, by address. */
  list(): Promise<readonly PinView[]>
  /** Pins an address to a person, whoever it was pinned to; what it was contested by is settled. Writes a ledger entry. */
  link(email: string, to: SlackId, operator: Operator): Promise<void>
  /** Pins an address to nobody: the next time it is met, it is pinned anew. False if it was pinned to nobody. Writes a ledger entry. */
  unlink(email: string, operator: Operator): Promise<boolean>
}

/** Makes the pins of an installation. */
export function createPins(options: PinsOptions): OperatedPins {
  const nameOf = (email: string) => pinName(options.seal, email)
  return {
    read: async (email) => pinnedOf(await readPin(options, nameOf(email))),
    pin: async (email, to, at) => {
      // Whoever was first is believed, us or another replica.
      const pin = await changePin(options, nameOf(email), (before) => {
        if (before !== null && before.person !== null) return null
        const next = { email, person: idOf(to), at, by: null, contested: null }
        return { next, event: { kind: "pinned", at, email, person: personKey(to) } }
      })
      return pinnedOf(pin) ?? { person: to, contested: null }
    },
    contest: (email, now, at) => contest(options, email, { now, at }),
    list: () => listPins(options),
    link: (email, to, operator) => link(options, email, { to, ...operator }),
    unlink: (email, operator) => unlink(options, email, operator),
  }
}

async function contest(
  options: PinsOptions,
  email: string,
  { now, at }: { readonly now: SlackId; readonly at: number },
): Promise<void> {
  await changePin(options, pinName(options.seal, email), (before) => {
    const known = before?.contested ?? null
    if (before === null || before.person === null || (known !== null && isSame(known.now, now))) return null
    const person = personKey(before.person)
    const next = { ...before, contested: { now: idOf(now), at } }
    return { next, event: { kind: "contested", at, email, person, now: personKey(now) } }
  })
}

async function link(
  options: PinsOptions,
  email: string,
  { to, by, at }: Operator & { readonly to: SlackId },
): Promise<void> {
  await renewPin(options, pinName(options.seal, email), (before) => {
    const was = before?.person ?? null
    const next = { email: email.toLowerCase(), person: idOf(to), at, by, contested: null }
    const told = { at, email, person: personKey(to), before: was === null ? null : personKey(was), by }
    return { next, event: { kind: "linked", ...told } }
  })
}

async function unlink(options: PinsOptions, email: string, { by, at }: Operator): Promise<boolean> {
  let done = false
  await renewPin(options, pinName(options.seal, email), (before) => {
    done = before !== null && before.person !== null
    if (before === null || before.person === null) return null
    const next = { ...before, email: null, person: null, at, by, contested: null }
    return { next, event: { kind: "unlinked", at, email, person: personKey(before.person), by } }
  })
  return done
}

/** All addresses that are pinned to somebody. Throws `StoreError`. */
export async function listPins(options: PinPlace): Promise<readonly PinView[]> {
  const pins = await Promise.all((await pinNames(options)).map((name) => readPin(options, name)))
  const views = pins.flatMap((pin) => (pin === null ? [] : viewOf(pin)))
  return views.toSorted((a, b) => a.email.localeCompare(b.email))
}

/** The names of all pins in Redis. */
async function pinNames({ redis, keys }: PinPlace): Promise<readonly string[]> {
  const names = new Set<string>()
  const prefix = keys.pin("")
  let cursor = "0"
  do {
    const [next, found] = await attempt("scan pins", () => redis.scan(cursor, "MATCH", `${prefix}*`, "COUNT", 500))
    for (const key of found) names.add(key.slice(prefix.length))
    cursor = next
  } while (cursor !== "0")
  return [...names]
}

function viewOf(pin: StoredPin): readonly PinView[] {
  const pinned = pinnedOf(pin)
  if (pinned === null || pin.email === null) return []
  return [{ ...pinned, email: pin.email, at: pin.at, by: pin.by, contestedAt: pin.contested?.at ?? null }]
}

function pinnedOf(pin: StoredPin | null): Pinned | null {
  return pin === null || pin.person === null ? null : { person: pin.person, contested: pin.contested?.now ?? null }
}

function isSame(one: SlackId, other: SlackId): boolean {
  return personKey(one) === personKey(other)
}

function idOf({ team, user }: SlackId): SlackId {
  return { team, user }
}
