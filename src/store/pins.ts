// E-mails of the config, pinned to the Slack id that they meant when first seen (R7, port `Pins`).
import type { Redis } from "ioredis"
import { z } from "zod"
import { personKey, type SlackId } from "../domain/person.ts"
import type { Seal } from "../domain/seal.ts"
import type { Pins } from "../flow/ports.ts"
import { openRecord, type RecordPlace, sealRecord } from "./codec.ts"
import { type Committer, readRecord } from "./commit.ts"
import { extendChain, noEntries } from "./entry.ts"
import { StoreError } from "./errors.ts"
import { chainOf, type Keys } from "./keys.ts"

const storedPin = z.object({ person: z.object({ team: z.string(), user: z.string() }) })

/** What the pins are made of. */
export interface PinsOptions {
  readonly redis: Redis
  readonly keys: Keys
  readonly seal: Seal
  readonly commit: Committer
  readonly sandbox: boolean
}

/** Makes the pins of an installation. An address is compared without regard to case. Throws `StoreError`: `tampered`, or no answer. */
export function createPins(options: PinsOptions): Pins {
  return {
    read: (email) => readPin(options, email),
    pin: async (email, to, at) => {
      const pinned = await readPin(options, email)
      if (pinned !== null) return pinned
      await writePin(options, { email, to, at })
      // Whoever was first is believed, us or another replica.
      return (await readPin(options, email)) ?? to
    },
  }
}

/** The name of a pin: no address stands in a key. */
function nameOf(seal: Seal, email: string): string {
  return seal.mac("pin name", email.toLowerCase())
}

function placeOf(keys: Keys, name: string): RecordPlace {
  return { purpose: "pin", key: keys.pin(name) }
}

async function readPin({ redis, keys, seal }: PinsOptions, email: string): Promise<SlackId | null> {
  const place = placeOf(keys, nameOf(seal, email))
  const value = openRecord(seal, place, await readRecord(redis, place.key))
  if (value === null) return null
  const read = storedPin.safeParse(value)
  if (!read.success) throw new StoreError("tampered", `the pin of ${email} in Redis was not written by us`)
  return read.data.person
}

async function writePin(
  options: PinsOptions,
  pin: { readonly email: string; readonly to: SlackId; readonly at: number },
): Promise<void> {
  const { keys, seal, sandbox } = options
  const { email, to, at } = pin
  const name = nameOf(seal, email)
  const place = placeOf(keys, name)
  const chain = chainOf.pin(name)
  const { entries, head } = extendChain(seal, { chain, head: noEntries, sandbox }, [
    { kind: "pinned", at, email, person: personKey(to) },
  ])
  const json = JSON.stringify({ version: 1, email, person: { team: to.team, user: to.user }, at, chain: head })
  const sealed = sealRecord(seal, place, 1, json)
  const fields = { version: "1", sealed }
  await options.commit({ key: place.key, expectedVersion: "0", fields, chain, chainCount: 0, entries })
}
