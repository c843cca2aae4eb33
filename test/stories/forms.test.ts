// What people fill in: values, results and reasons, from the card's button to the platform's record.
import { describe, expect, it } from "vitest"
import { formIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import { ask, card, cardSaying, decided, formOf, press, record, settled, threadSays, told, viewSays } from "./acts.ts"
import { formFor } from "./payments.ts"
import { plainRule, sandboxCast } from "./world.ts"

const fields = [
  { name: "amount", field_type: "float", description: "How much.", value: 50 },
  { name: "times", field_type: "int", description: "How often.", value: null },
  { name: "to", field_type: "Literal", description: "Where to.", value: "ann", choices: ["ann", "bob"] },
]
const inputCall = formFor(fields)
const externalCall = { tool_name: "restart_service", tool_args: { name: "db" }, pause_type: "external_execution" }

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("Approve on a user_input pause opens its form; what was filled in lands in resolution_data.values", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, inputCall)
    await press(here, sandboxCast.alice, await card(here, "send_money"), "approve")
    const open = await formOf(here, sandboxCast.alice)
    expect(JSON.stringify(open.definition.blocks)).toContain("How much. The agent's guess: please check it.")
    expect(JSON.stringify(open.definition.blocks)).toContain('"initial_value":"50"')

    const refused = await here.sandbox.submit(sandboxCast.alice, open.id, {
      field_0: "a lot",
      field_1: "1.5",
      field_2: "bob",
    })
    const taken = await here.sandbox.submit(sandboxCast.alice, open.id, {
      field_0: "12.50",
      field_1: "2",
      field_2: "bob",
    })

    expect(refused).toMatchObject({
      errors: {
        field_0: "Please enter a number, such as 12.50.",
        field_1: "Please enter a whole number, such as 42.",
      },
    })
    expect(taken).toMatchObject({ ok: true })
    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolution_data: { values: { amount: 12.5, times: 2, to: "bob" }, countersign: { reason: null } },
    })
    await told(here, sandboxCast.alice, "Thank you")
    expect(here.sandbox.openView(sandboxCast.alice)).toBeUndefined()
  })

  it("what the agent filled in is submitted as it is: several lines, and one of two choices that read the same", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(
      here,
      formFor([
        { name: "note", field_type: "str", description: "What to say.", value: "Dear Ann,\n\nthank you.\n" },
        { name: "level", field_type: "Literal", description: "How much.", value: "1", choices: [1, "1"] },
        { name: "to", field_type: "Literal", description: "Where to.", value: "a", choices: ["a", "a"] },
      ]),
    )
    await press(here, sandboxCast.alice, await card(here, "send_money"), "approve")
    const open = await formOf(here, sandboxCast.alice)

    await here.sandbox.submit(sandboxCast.alice, open.id, {})

    expect(await decided(here, asked.id)).toMatchObject({
      resolution_data: { values: { note: "Dear Ann,\n\nthank you.\n", level: "1", to: "a" } },
    })
  })

  it("external_execution takes the result, which lands in resolution_data.result", async () => {
    const here = await aWorld({ mode })
    const asked = await ask(here, externalCall)
    await press(here, sandboxCast.alice, await card(here, "restart_service"), "approve")
    const open = await formOf(here, sandboxCast.alice)

    const empty = await here.sandbox.submit(sandboxCast.alice, open.id, { [formIds.result]: "   " })
    await here.sandbox.submit(sandboxCast.alice, open.id, { [formIds.result]: "restarted at 12:00\nno errors" })

    expect(empty).toMatchObject({ errors: { result: "Please paste the result." } })
    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolution_data: { result: "restarted at 12:00\nno errors" },
    })
    await told(here, sandboxCast.alice, "Thank you: your result is sent.")
  })

  it("R3 the second voter sees the first one's values, and different ones do not add up", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    quorum: 2` })
    const asked = await ask(here, inputCall)
    const open = await card(here, "send_money")
    const give = async (person: string, amount: string) => {
      await press(here, person, await card(here, "send_money"), "approve")
      const view = await formOf(here, person)
      await here.sandbox.submit(person, view.id, { field_0: amount, field_1: "1", field_2: "bob" })
      await told(here, person, "Thank you")
      return view
    }
    await give(sandboxCast.alice, "7")
    const seen = await cardSaying(here, "filled in amount: 7")
    expect(seen.words).toMatch(new RegExp(`<@${sandboxCast.alice}>\\s+filled in\\s+amount: 7`))

    const second = await give(sandboxCast.bob, "8")
    await threadSays(here, open, sandboxCast.bob)
    expect(JSON.stringify(second.definition.blocks)).toContain("What the first approver filled in.")
    expect(JSON.stringify(second.definition.blocks)).toContain('"initial_value":"7"')
    expect((await record(here, asked.id)).status).toBe("pending")
    await give(sandboxCast.bob, "7")

    expect(await decided(here, asked.id)).toMatchObject({
      status: "approved",
      resolution_data: { values: { amount: 7 } },
    })
  })

  it("a rule's reasons can be chosen, with own words beside them, and stand on the record", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    reasons: ["Wrong amount", "Not now"]` })
    const asked = await ask(here)
    await press(here, sandboxCast.bob, await card(here), "reject")
    const open = await formOf(here, sandboxCast.bob)

    await here.sandbox.submit(sandboxCast.bob, open.id, {
      [formIds.choice]: "Not now",
      [formIds.reason]: "after the audit",
    })

    expect(await decided(here, asked.id)).toMatchObject({
      status: "rejected",
      resolution_data: { countersign: { reason: "Not now: after the audit" } },
    })
  })

  it.each([
    ["approve", "approve"],
    ["always", "approve"],
    ["always", "reject"],
  ] as const)("require_reason %s: nobody can %s without one", async (wanted, verb) => {
    const rules = plainRule.replace("require_reason: never", `require_reason: ${wanted}\n    reasons: ["It is fine"]`)
    const here = await aWorld({ mode, rules })
    const asked = await ask(here)
    await press(here, sandboxCast.alice, await card(here), verb)
    const open = await formOf(here, sandboxCast.alice)

    const refused = await here.sandbox.submit(sandboxCast.alice, open.id, {})
    await here.sandbox.submit(sandboxCast.alice, open.id, { [formIds.choice]: "It is fine" })

    expect(refused).toMatchObject({ errors: { reason: "Please say why." } })
    expect(await decided(here, asked.id)).toMatchObject({ resolution_data: { countersign: { reason: "It is fine" } } })
  })
})

it("a card of which a mask hides something leads to the form through Details", async () => {
  const here = await aWorld({ rules: `${plainRule}\n    mask: [amount]` })
  const asked = await ask(here, inputCall)
  const open = await card(here, "send_money")
  expect(open.words).toContain("characters masked")
  await here.sandbox.click(sandboxCast.alice, open, "countersign_details")
  await viewSays(here, sandboxCast.alice, "You may approve this")

  await here.sandbox.click(sandboxCast.alice, here.sandbox.openView(sandboxCast.alice)?.id ?? "", "countersign_approve")
  const view = await formOf(here, sandboxCast.alice)
  expect(JSON.stringify(view.definition.blocks)).toContain("Its value is masked")
  await here.sandbox.submit(sandboxCast.alice, view.id, { field_0: "50", field_1: "1", field_2: "ann" })

  expect(await decided(here, asked.id)).toMatchObject({
    status: "approved",
    resolution_data: { values: { amount: 50 } },
  })
})

it("two people, one form each, submitted at once: one decides and the other is told", async () => {
  const here = await aWorld({})
  const asked = await ask(here, externalCall)
  const open = await card(here, "restart_service")
  await Promise.all([press(here, sandboxCast.alice, open, "approve"), press(here, sandboxCast.bob, open, "approve")])
  const forms = await Promise.all([formOf(here, sandboxCast.alice), formOf(here, sandboxCast.bob)])

  await Promise.all([
    here.sandbox.submit(sandboxCast.alice, forms[0].id, { [formIds.result]: "by alice" }),
    here.sandbox.submit(sandboxCast.bob, forms[1].id, { [formIds.result]: "by bob" }),
  ])

  const row = await decided(here, asked.id)
  const [first, second] = row.resolved_by?.startsWith("alice")
    ? [sandboxCast.alice, sandboxCast.bob]
    : [sandboxCast.bob, sandboxCast.alice]
  await told(here, first, "Thank you")
  expect(await told(here, second, "already")).toContain(first)
})

const ownRule = plainRule.replace(
  "unknown_requester: allow",
  "forbid_self_approval: true\n    unknown_requester: refuse",
)

describe("nobody fills in a form in vain", () => {
  it.each([
    { who: "a guest", person: sandboxCast.gus, verb: "reject", says: "Guests may not decide this" },
    { who: "a guest", person: sandboxCast.gus, verb: "approve", says: "Guests may not decide this" },
    { who: "a stranger", person: sandboxCast.rita, verb: "approve", says: "You are not one of the approvers" },
    { who: "whoever asked", person: sandboxCast.alice, verb: "approve", says: "You asked for this yourself" },
  ] as const)("$who who presses $verb is told at once why not", async ({ person, verb, says }) => {
    const here = await aWorld({ rules: `${ownRule}\n    reasons: ["Not now"]` })
    const asked = await ask(here, { ...externalCall, user_id: "alice@sandbox.example" })

    await press(here, person, await card(here, "restart_service"), verb)

    await viewSays(here, person, says)
    const view = here.sandbox.openView(person)?.definition
    expect(view).toMatchObject({ callback_id: "countersign_told" })
    expect(view).not.toHaveProperty("submit")
    expect(await record(here, asked.id)).toMatchObject({ status: "pending" })
  })

  it("whoever may vote no more when they send their form is told so then", async () => {
    const here = await aWorld({})
    await ask(here, externalCall)
    const open = await card(here, "restart_service")
    await press(here, sandboxCast.bob, open, "approve")
    const form = await formOf(here, sandboxCast.bob)
    await press(here, sandboxCast.alice, open, "reject")
    await settled(here, "Rejected")

    await here.sandbox.submit(sandboxCast.bob, form.id, { [formIds.result]: "restarted" })

    await told(here, sandboxCast.bob, "already rejected by")
  })
})
