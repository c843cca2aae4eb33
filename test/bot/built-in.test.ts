// The built-in instance in the bot: what operators are told of proposals, and a poll that fails (R16).
import { expect, test } from "vitest"
import { pollBuiltIn, tellProposals, unapprovedTrouble } from "../../src/bot/built-in.ts"
import { noProposals, type Proposal } from "../../src/domain/rule/proposal.ts"
import type { Alarm, Ports } from "../../src/flow/ports.ts"
import { StoreError } from "../../src/store/errors.ts"
import { createWorld } from "../support/memory-ports.ts"

const noon = Date.UTC(2026, 10, 21, 12)
const hourMs = 3_600_000

function aProposal(end: Proposal["end"]): Proposal {
  return { id: "p-1", from: "r-1", to: "r-2", host: "bot-1", file: null, at: noon, expiresAt: noon + hourMs, end }
}

function alarmsOf(list: readonly Proposal[], now: number): readonly Alarm[] {
  const alarms: Alarm[] = []
  tellProposals({ ...noProposals, list }, (one) => void alarms.push(one), now)
  return alarms
}

test("an alarm says which proposal another one replaced, for an hour", () => {
  const replaced = aProposal({ how: "replaced", at: noon, decision: null })

  expect(alarmsOf([replaced], noon + hourMs - 1)).toMatchObject([
    { code: "proposal-replaced", proposal: "p-1", revision: "r-2", host: "bot-1" },
  ])
  expect(alarmsOf([replaced], noon + hourMs)).toEqual([])
})

test.each([
  null,
  { how: "approved", at: noon, decision: "d-1" },
  { how: "expired", at: noon, decision: null },
] as const)("no alarm tells of a proposal that nothing replaced: %o", (end) => {
  expect(alarmsOf([aProposal(end)], noon)).toEqual([])
})

test("an alarm and the status tell of a config that became active without approval", () => {
  const unapproved = { revision: "r".repeat(64), at: noon }
  const alarms: Alarm[] = []

  tellProposals({ ...noProposals, unapproved }, (one) => void alarms.push(one), noon)

  expect(alarms).toMatchObject([{ code: "activated-without-approval", ...unapproved }])
  const words = `config ${"r".repeat(12)} became active without approval at 2026-11-21T12:00:00.000Z`
  expect(unapprovedTrouble({ ...noProposals, unapproved })).toBe(words)
  expect(unapprovedTrouble(noProposals)).toBeNull()
})

/** A process whose list of proposals cannot be read. */
function aBlind(error: Error) {
  const { ports } = createWorld()
  const warned: string[] = []
  const own = ports.platforms.get("main")
  if (own === undefined) throw new Error("the world has no platform")
  const failing = {
    ...own,
    pending: () => {
      throw error
    },
  }
  const log: Ports["log"] = { ...ports.log, warn: (event) => void warned.push(event) }
  return { warned, ports: { ...ports, log, platforms: new Map([["countersign", failing]]) } }
}

test("a poll of proposals that fails waits for the next sweep, and says so; a mistake of ours does not pass", async () => {
  const { ports, warned } = aBlind(new StoreError("tampered", "somebody changed it"))

  await pollBuiltIn(ports)

  expect(warned).toEqual(["proposals-not-read"])
  await expect(pollBuiltIn(aBlind(new TypeError("ours")).ports)).rejects.toThrow("ours")
})

test("where no config ever had rules_change, nothing is polled", async () => {
  const { ports } = createWorld()

  await expect(pollBuiltIn(ports)).resolves.toBeUndefined()
})
