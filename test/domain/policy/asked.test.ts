// Whom the rules in force name for an approval.

import { expect, test } from "vitest"
import { askedOf } from "../../../src/domain/policy/asked.ts"
import { anApproval, aPolicy, aRule } from "../../support/builders.ts"

test("each demanded rule asks those it lists, people and groups by id and addresses as written", () => {
  const rule = aRule({
    name: "payments",
    quorum: 2,
    approvers: [
      { kind: "user", id: "U1" },
      { kind: "group", id: "S1" },
      { kind: "email", email: "ann@example.com" },
    ],
  })

  expect(askedOf(anApproval(), aPolicy([rule, aRule({ name: "never reached" })]))).toEqual([
    { rule: "payments", quorum: 2, approvers: ["U1", "S1", "ann@example.com"] },
  ])
})
