// Names for one page: whom it asks for, and whom it must not ask for.
import { expect, test } from "vitest"
import { namesFor } from "../../../src/http/page/names.ts"
import type { ToldCase, ToldEntry } from "../../../src/http/reading/models.ts"

const nothing = {
  id: "c",
  state: "closed",
  trusted: true,
  instance: "i",
  approval: "a",
  tool: "t",
  agent: "g",
} as const
const empty = { opened_at: null, created_at: null, revision: 1, digest: "d", decision: null, outcome: null, entries: 1 }
const aCase: ToldCase = { ...nothing, ...empty, requester: null, rules: [], calls: [], votes: [], cards: [] }

function aVote(person: string, name: string): ToldCase["votes"][number] {
  const said = { person, name, subject: `${name}@example.com`, reason: null, surface: "card", revealed: false }
  return { ...said, verb: "approve", rules: [], revision: 1, at: "2026-11-28T12:00:00.000Z" }
}

function anEntry(kind: string, event: Record<string, unknown>): ToldEntry {
  return { number: 1, ours: true, time: null, chain: "c", n: 1, kind, sandbox: false, event, mac: "m" }
}

/** The names, and for whom somebody was asked. */
async function found(told: ToldCase, entries: readonly ToldEntry[], nameOf = async (who: string) => `name of ${who}`) {
  const asked: string[] = []
  const names = await namesFor(told, entries, (who) => {
    asked.push(who)
    return nameOf(who)
  })
  return { asked, names }
}

test("votes tell their own names, so nobody is asked for them", async () => {
  const { asked, names } = await found({ ...aCase, votes: [aVote("T1:U1", "ann")] }, [
    anEntry("decided", { people: ["T1:U1"] }),
    anEntry("resolved", { resolvedBy: "ann@example.com" }),
  ])

  expect(asked).toEqual([])
  expect([names.get("T1:U1"), names.get("U1"), names.get("ann@example.com")]).toEqual(["ann", "ann", "ann"])
})

test("people and groups in entries, the requester and people on routes are asked for, each once", async () => {
  const card = { route: "person:U3AAA", channel: "D1", ts: "1.1", link: null }
  const { asked, names } = await found({ ...aCase, requester: "rita@example.com", cards: [card] }, [
    anEntry("refused", { person: "T1:U2AAA", why: "STOP" }),
    anEntry("refused", { person: "T1:U2AAA", why: "STOP" }),
    anEntry("opened", { asked: [{ rule: "SRE", quorum: 1, approvers: ["S0OPS", "address 1"] }], "address 1": "x@y.z" }),
    anEntry("placed", { route: "person:U3AAA" }),
  ])

  expect(asked.toSorted()).toEqual(["S0OPS", "T1:U2AAA", "U3AAA", "rita@example.com", "x@y.z"])
  expect(names.get("U2AAA")).toBe("name of T1:U2AAA")
})

test("channels on routes are asked for, each once, and nothing else is taken for a channel", async () => {
  const card = { route: "channel:C1AAA", channel: "C1AAA", ts: "1.1", link: null }
  const { asked, names } = await found({ ...aCase, cards: [card, card] }, [
    anEntry("placed", { route: "channel:C1AAA" }),
    anEntry("summarised", { route: "channel:C2AAA" }),
    anEntry("resolved", { resolvedBy: "C3AAA" }),
  ])

  expect(asked.toSorted()).toEqual(["channel:C1AAA", "channel:C2AAA"])
  expect([names.get("C1AAA"), names.has("channel:C1AAA")]).toEqual(["name of channel:C1AAA", false])
})

test("nobody asks for the name of somebody who was erased", async () => {
  const { asked, names } = await found({ ...aCase, votes: [aVote("T1:U1", "(erased)")] }, [
    anEntry("erased", { person: "T1:U2AAA" }),
    anEntry("refused", { person: "T1:U2AAA", why: "guest" }),
    anEntry("withdrawn", { person: "T1:U1" }),
  ])

  expect(asked).toEqual([])
  expect([names.get("U1"), names.get("U2AAA")]).toEqual(["(erased)", "(erased)"])
})

test("a directory that does not answer costs two seconds, not the page; a name that it lacks stays an id", async () => {
  const entries = [anEntry("withdrawn", { person: "T1:U1AAA" }), anEntry("withdrawn", { person: "T1:U2AAA" })]
  const { names } = await found(aCase, entries, (who) =>
    who === "T1:U1AAA" ? new Promise<string>(() => {}) : Promise.resolve("Bob"),
  )
  const lacking = await namesFor(aCase, entries, async () => null)

  expect([...names.keys()]).toEqual(["T1:U2AAA", "U2AAA"])
  expect(lacking.size).toBe(0)
})
