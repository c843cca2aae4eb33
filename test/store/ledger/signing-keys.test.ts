// The set of public keys: it only grows, each key has its entry, and nobody else can add one.

import { expect, test } from "vitest"
import { aSigner } from "../../support/signer.ts"
import { entriesOf, noon, openStore } from "../support.ts"

const [one, other] = await Promise.all([aSigner("one"), aSigner("other")])

test("a key that is replaced stays in the set, and each is told once in the ledger", async () => {
  const open = await openStore()
  const { signingKeys } = open.store
  expect(await signingKeys.read()).toEqual([])

  for (const { publicKey } of [one, other, one]) await signingKeys.add(publicKey, noon)

  expect(await signingKeys.read()).toEqual([one.publicKey, other.publicKey])
  const told = (await entriesOf(open)).filter((entry) => entry?.chain === "signing-keys").map((entry) => entry?.event)
  expect(told).toEqual([
    { kind: "key-added", at: noon, key: one.publicKey },
    { kind: "key-added", at: noon, key: other.publicKey },
  ])
  expect((await open.store.verifyLedger()).problem).toBeNull()
})

test("two replicas that add keys at once both have theirs in the set", async () => {
  const open = await openStore()
  const replica = await openStore({ installation: open.installation })

  await Promise.all([
    open.store.signingKeys.add(one.publicKey, noon),
    replica.store.signingKeys.add(other.publicKey, noon),
  ])

  const kids = (await open.store.signingKeys.read()).map(({ kid }) => kid)
  expect(kids.toSorted()).toEqual([one.publicKey.kid, other.publicKey.kid].toSorted())
})

test("R14 a set that somebody else wrote is refused", async () => {
  const open = await openStore()
  await open.store.signingKeys.add(one.publicKey, noon)
  await open.connection.commands.hset(open.store.keys.signingKeys, "sealed", Buffer.alloc(80, 1))

  await expect(open.store.signingKeys.read()).rejects.toMatchObject({ code: "tampered" })
  await expect(open.store.signingKeys.add(other.publicKey, noon)).rejects.toMatchObject({ code: "tampered" })
})
