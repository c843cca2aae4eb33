// The requester's claim, compared with a voter (R6).

import { expect, test } from "vitest"
import { isRequester, matchRequester } from "../../../src/domain/people/requester.ts"
import { aPerson } from "../../support/builders.ts"

const identities = [
  { subject: "ann@corp.example", team: "T1", user: "U1" },
  { subject: "sa:robot", team: "T1", user: "U1" },
  { subject: "bob@corp.example", team: "T1", user: "U2" },
]

test.for([
  "U1",
  "u1",
  "T1:U1",
  "slack:T1:U1",
  "SLACK:t1:u1",
  "u1@example.com",
  "U1@Example.COM",
  "ann@corp.example",
  "Ann@Corp.Example",
  "sa:robot",
  " u1@example.com\n",
  "u1\u200B@example.com",
  "u1@exam\u00ADple.com",
  "\uFF55\uFF11@example.com",
  "\u2800U1\u3164",
  "\u202EANN@corp.example",
  " SA:Robot",
])("R6: the claim %j means U1", (userId) => {
  expect(isRequester(userId, aPerson(), identities)).toBe(true)
  expect(matchRequester({ userId, voter: aPerson(), identities, known: null })).toBe("same")
})

test.for([null, "", " ", "\u200B", "U2", "T2:U1", "slack:T2:U1", "u2@example.com", "bob@corp.example", "Name of U1"])(
  "R6: the claim %s does not mean U1",
  (userId) => {
    expect(isRequester(userId, aPerson(), identities)).toBe(false)
  },
)

test("R6: a user of the same id in another workspace is somebody else", () => {
  expect(isRequester("ann@corp.example", aPerson({ team: "T2", email: null }), identities)).toBe(false)
})

test.for([null, "", " ", "sa:other", " SA:other", "nobody@example.org", "anything"])(
  "R6: the claim %j means nobody",
  (userId) => {
    expect(matchRequester({ userId, voter: aPerson(), identities, known: null })).toBe("unknown")
  },
)

test("R6: a claim that means somebody else is other", () => {
  const voter = aPerson()

  expect(matchRequester({ userId: " BOB@corp.example\u200B", voter, identities, known: null })).toBe("other")
  expect(matchRequester({ userId: "c@x.example", voter, identities, known: { team: "T1", user: "U3" } })).toBe("other")
})

test("R6: a claim that Slack says is the voter is the voter, whatever its spelling", () => {
  const known = { team: "T1", user: "U1" }

  expect(matchRequester({ userId: "other-name", voter: aPerson(), identities, known })).toBe("same")
})

test("R6: a service account's claim is unknown though somebody of that name was found", () => {
  const known = { team: "T1", user: "U2" }

  expect(matchRequester({ userId: "sa:u2", voter: aPerson(), identities, known })).toBe("unknown")
})

test("R6: a claim that names the voter's id in whatever workspace means the voter", () => {
  const voter = aPerson({ user: "U1" })

  const match = matchRequester({ userId: "slack:E9:U1", voter, identities: [], known: { team: "E9", user: "U1" } })

  expect(match).toBe("same")
})

test.for(["jane@corp.example", "U7", "slack:T1:U7", "T2:U8", "u8"])(
  "R6: the claim %s means one human whichever of their Slack ids votes",
  (userId) => {
    const both = [
      { subject: "jane@corp.example", team: "T1", user: "U7" },
      { subject: "jane@corp.example", team: "T2", user: "U8" },
    ]

    const matches = both.map(({ team, user }) =>
      matchRequester({ userId, voter: aPerson({ team, user, email: null }), identities: both, known: null }),
    )

    expect(matches).toEqual(["same", "same"])
  },
)

test("R6: a claim that Slack says is the voter's other id is the voter", () => {
  const identities = ["U7", "U8"].map((user) => ({ subject: "jane", team: "T1", user }))
  const voter = aPerson({ user: "U8" })

  const match = matchRequester({ userId: "u7@example.com", voter, identities, known: { team: "T1", user: "U7" } })

  expect(match).toBe("same")
})
