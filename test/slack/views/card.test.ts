// The card: what it says, and what it must never do. How it looks is held by golden.test.ts.

import { describe, expect, it } from "vitest"
import { textUnits } from "../../../src/blockkit/totals.ts"
import { type CardModel, untimed } from "../../../src/domain/case/card-model.ts"
import { isRejectable } from "../../../src/domain/case/card-steps.ts"
import { plainLook } from "../../../src/domain/policy/look.ts"
import { listMessage } from "../../../src/slack/lists/list-messages.ts"
import { readTarget, targetOf } from "../../../src/slack/views/button-values.ts"
import { cardOf, safeCardOf } from "../../../src/slack/views/card.ts"
import { detailsView } from "../../../src/slack/views/details.ts"
import {
  AT,
  aCardModel,
  anApproval,
  aVote,
  changedFrom,
  everyState,
  limitRead,
  openStatus,
  recorded,
} from "../card-models.ts"
import { buttonsOf, labels, messageVerdict, wordsOf } from "../sight.ts"

describe("every state", () => {
  it.each(Object.entries(everyState()))(
    "%s shows votes only while it is open, and only what there is to read once it is settled",
    (state, model) => {
      const seen = labels(cardOf(model).blocks)

      const { status } = model
      const reviews = ["It Was Right", "It Was Not…", "Details", "Receipt"]
      if (model.blank === true) expect(seen).toEqual([])
      else if (model.glass?.here === true) expect(seen).toEqual(reviews)
      else if (state === "rejected-lasting") expect(seen).toEqual(["Ask Me Again", "Details", "Receipt"])
      else if (status.kind === "open") expect(seen).toEqual(["Approve", "Reject", "Details"])
      else if (isRejectable(status)) expect(seen).toEqual(["Reject", "Details"])
      else if (status.kind === "settled")
        expect(seen).toEqual(status.outcome.kind === "ours" ? ["Details", "Receipt"] : ["Details"])
      else if (status.kind === "replaced") expect(seen).toEqual([])
      else expect(seen).toEqual(["Details"])
    },
  )
})

describe("what the card says", () => {
  it("the first line has action and object in plain words", () => {
    const [first] = cardOf(aCardModel()).blocks

    expect(wordsOf(first).replaceAll("\n", "")).toBe("“Admin Agent” wants to run delete user data with user_id: U-100")
  })

  it("all gated calls stand on it, one decision for all of them", () => {
    const words = wordsOf(cardOf(aCardModel(recorded("get-pending-multi-tool"))).blocks)

    expect(words).toContain("One decision for 2 calls: approving is all or nothing.")
    expect(words).toContain("user_id: U-100")
    expect(words).toContain("to: u100@example.com\nsubject: Your data\nbody: We deleted it.")
  })

  it("an ungated call is marked as one that the platform will refuse", () => {
    const gated = recorded("get-pending-multi-tool")
    const [first, second] = gated.requirements ?? []
    const execution = { ...(second?.["tool_execution"] as object), approval_type: null }
    const approval = { ...gated, requirements: [first ?? {}, { ...second, tool_execution: execution }] }

    expect(wordsOf(cardOf(aCardModel(approval)).blocks)).toContain(
      "send_email\n is not part of this decision: the platform will refuse it",
    )
  })

  it("a question to the user beside a gated call is marked as one that the platform answers with nothing", () => {
    const gated = recorded("get-pending-multi-tool")
    const [first, second] = gated.requirements ?? []
    const asks = {
      tool_name: "ask_user",
      approval_type: null,
      requires_confirmation: null,
      requires_user_input: true,
      user_feedback_schema: [{ question: "Which one?", options: [{ label: "This" }] }],
    }
    const execution = { ...(second?.["tool_execution"] as object), ...asks }
    const approval = { ...gated, requirements: [first ?? {}, { ...second, tool_execution: execution }] }

    expect(wordsOf(cardOf(aCardModel(approval)).blocks)).toContain(
      "ask_user\n is not part of this decision: the platform will answer it with nothing, so nobody is asked",
    )
  })

  it("a number that a double cannot hold is shown digit by digit", () => {
    expect(wordsOf(cardOf(aCardModel(recorded("get-pending-big-integer"))).blocks)).toContain("12345678901234567890")
  })

  it("R2: a null is shown as no value, or not a number, and the card stays approvable", () => {
    const card = cardOf(aCardModel(recorded("get-pending-not-a-number")))

    expect(wordsOf(card.blocks)).toContain(
      "amount: null\nnull\n means no value here, or no number: the platform does not say which.",
    )
    expect(labels(card.blocks)).toContain("Fill In…")
  })

  it("a record that names another call than its requirements shows both", () => {
    const approval = anApproval({ toolName: "drop_database", toolArgs: { name: "prod" } })

    const words = wordsOf(cardOf(aCardModel(approval)).blocks)

    expect(words).toContain("The record itself")
    expect(words).toContain("name: prod")
    expect(words).toContain("user_id: U-100")
  })

  it("a field of a requirement that nobody knew is shown as it is", () => {
    const [first] = anApproval().requirements ?? []
    const approval = anApproval({ requirements: [{ ...first, dry_run: true }] })

    expect(wordsOf(cardOf(aCardModel(approval)).blocks)).toContain("Also in the record\ndry_run: true")
  })

  it("who voted, and why, stands on it as a mention of ours and literal text", () => {
    const model = aCardModel(anApproval(), {
      votes: [aVote({ reason: "<@U0BOB> said *yes*" })],
      status: openStatus(1, 2),
    })

    const { blocks, text } = cardOf(model)

    expect(wordsOf(blocks)).toContain("U0ALICE\n approved it ")
    expect(wordsOf(blocks)).toContain("“<@U0BOB> said *yes*”")
    expect(text).not.toContain("<@U0BOB>")
  })

  it("Details of an approved call say until when it must run where its tool has a gate, and its card does not", () => {
    const outcome = { kind: "ours", verb: "approve", decisionId: "d", resolvedBy: null, at: AT } as const
    const status = { kind: "settled", outcome, run: { kind: "left" } } as const
    const model = aCardModel(anApproval(), { status, time: { ...untimed, runBy: AT + 60_000 } })
    const may = { ok: true, rules: ["prod-data"] } as const
    const details = { model, approve: may, reject: may, own: null }
    const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })

    expect(wordsOf(view.blocks)).toContain("Where a gate stands before the tool: the approval is valid until ")
    expect(wordsOf(cardOf(model).blocks)).not.toContain("gate")
  })

  it("the text alone carries the point, escaped", () => {
    const approval = anApproval({ sourceName: "<!channel> Agent & Co" })

    const { text } = cardOf(aCardModel(approval))

    expect(text).toContain("Approval needed: “&lt;!channel&gt; Agent &amp; Co” wants to run delete user data")
    expect(text).toContain("Asked by alice@example.com")
    expect(text).toContain("user_id: U-100")
  })

  it("a run that a schedule started says so, and its Details tell which", () => {
    const model = aCardModel(anApproval({ scheduleId: "nightly-7", scheduleRunId: "run-3" }))
    const allowed = { ok: true, rules: ["prod-data"] } as const
    const details = { model, approve: allowed, reject: allowed, own: null }
    const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })

    expect(wordsOf(cardOf(model).blocks)).toContain("alice@example.com, by a schedule ·")
    expect(cardOf(model).text).toContain("by a schedule")
    expect(wordsOf(cardOf(aCardModel()).blocks)).not.toContain("schedule")
    expect(wordsOf(view.blocks)).toContain("schedule nightly-7, run run-3")
  })

  it("the instance is named only where there are several, and ids stand in Details alone", () => {
    const shown = (instances: number) => wordsOf(cardOf(aCardModel(), { instances }).blocks)

    expect(shown(1)).not.toContain("at default")
    expect(shown(2)).toContain("· at default")
    expect(shown(2)).not.toMatch(/admin-agent|Digest|Revision|0123456789abcdef0123/)
  })

  it("who must agree is said in words, for each rule", () => {
    const states = everyState()
    const shown = (state: string) => wordsOf(cardOf(states[state] ?? aCardModel()).blocks).replaceAll("\n", "")
    const usergroups = JSON.stringify(cardOf(states["one-of-two"] ?? aCardModel()).blocks)

    expect(shown("one-of-two")).toContain("2 of  must approve; 1 has")
    expect(usergroups).toContain('{"type":"usergroup","usergroup_id":"S0FINANCE"}')
    expect(shown("several-rules")).toContain(
      "U0ALICE must approve2 of U0BOB, jane@corp.example,  and 1 more (see Details) must approve, nobody",
    )
  })

  it("a blank card says how it ended and names neither arguments nor people", () => {
    const card = cardOf({ ...(everyState()["rejected"] ?? aCardModel()), blank: true })

    expect(wordsOf(card.blocks)).toContain("✕ Rejected")
    expect(wordsOf(card.blocks)).toContain("delete_user_data")
    expect(JSON.stringify(card)).not.toMatch(/U-100|U0ALICE|alice|Admin|Friday/)
    expect(labels(card.blocks)).toEqual([])
  })

  it("block ids change with the revision and with the state", () => {
    const idsOf = (model: Parameters<typeof cardOf>[0]) => cardOf(model).blocks.map((block) => block.block_id)
    const [first, revised, voted] = [
      idsOf(aCardModel()),
      idsOf(aCardModel(anApproval(), { revision: 2 })),
      idsOf(aCardModel(anApproval(), { votes: [aVote()] })),
    ]

    expect(first.every((id) => id?.includes(".r1.open0"))).toBe(true)
    expect(first.some((id) => revised.includes(id) || voted.includes(id))).toBe(false)
  })

  it("R18: every button names installation, case, route, revision and digest", () => {
    const model = aCardModel()

    const targets = buttonsOf(cardOf(model).blocks).map((button) => readTarget(button.value))

    expect(targets).toEqual([targetOf(model), targetOf(model), targetOf(model)])
  })
})

describe("R4: a card that could not show all carries no approval", () => {
  it.each([
    ["a long argument", { body: "x".repeat(20_000) }],
    ["a character that one does not see", { subject: "\u202Egnp.exe" }],
    ["a very long name of an argument", { ["k".repeat(12_000)]: 1 }],
  ])("%s makes Approve a Review", (_, toolArgs) => {
    const card = cardOf(aCardModel(anApproval({ toolArgs, requirements: null })))

    expect(card.complete).toBe(false)
    expect(labels(card.blocks)).toEqual(["Review Details", "Reject"])
    expect(messageVerdict(card)).toBe("ok")
  })

  it("more calls than a card holds are counted", () => {
    const [first] = anApproval().requirements ?? []
    const card = cardOf(aCardModel(anApproval({ requirements: Array.from({ length: 60 }, () => first ?? {}) })))

    expect(wordsOf(card.blocks)).toContain("and 44 more calls")
    expect(labels(card.blocks)).toEqual(["Review Details", "Reject"])
    expect(messageVerdict(card)).toBe("ok")
  })

  it("a name of several lines cannot fake the next line", () => {
    const card = cardOf(aCardModel(anApproval({ sourceName: "Agent\nApproved by: the CTO" })))

    expect(wordsOf(card.blocks[0])).toContain("Agent⟨U+000A⟩Approved by: the CTO")
    expect(card.complete).toBe(false)
  })
})

describe("R4: a mask", () => {
  const look = { ...plainLook, mask: ["password", "/sk-[a-z0-9]+/"] }
  const secret = { user: "bob", password: "hunter2", note: "use sk-123abc", requirements: null }
  const model = aCardModel(anApproval({ toolArgs: secret, requirements: null }), { look })

  it("is visible with its length on the card, which carries the approval", () => {
    const card = cardOf(model)

    expect(wordsOf(card.blocks)).toContain("password: ▒▒▒▒ 7 characters masked ▒▒▒▒")
    expect(JSON.stringify(card)).not.toMatch(/hunter2|sk-123abc/)
    expect(labels(card.blocks)).toEqual(["Approve", "Reject", "Details"])
  })

  it("over an object leads to Details", () => {
    const whole = { user: "bob", password: { now: "hunter2" } }
    const card = cardOf(aCardModel(anApproval({ toolArgs: whole, requirements: null }), { look }))

    expect(labels(card.blocks)).toEqual(["Review Details", "Reject"])
  })

  it("hides the secret in Details and in lists too, where it counts as shown", () => {
    const may = { ok: true, rules: ["prod-data"] } as const
    const details = { model, approve: may, reject: may, own: null }
    const view = detailsView({ details, page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null })

    expect(
      JSON.stringify([view, listMessage({ models: [model], total: 1, more: false }, 1, { words: [], at: AT })]),
    ).not.toMatch(/hunter2|sk-123abc/)
    expect(labels(view.blocks)).toEqual(["Approve", "Reject", "Send Back…", "Reveal Masked Values"])
  })
})

it("danger makes Approve weigh the same as Reject, and asks once more what would run; nothing else does", () => {
  const styles = (model: Parameters<typeof cardOf>[0]) =>
    buttonsOf(cardOf(model).blocks).map((button) => [button.style, button.confirm !== undefined])
  const dangerous = aCardModel(anApproval(), { look: { ...plainLook, danger: true } })

  expect(styles(aCardModel())).toEqual([
    ["primary", false],
    [undefined, false],
    [undefined, false],
  ])
  expect(styles(dangerous)).toEqual([
    [undefined, true],
    [undefined, false],
    [undefined, false],
  ])
  const asked = buttonsOf(cardOf(dangerous).blocks)[0]?.confirm
  expect(asked?.title?.text).toBe("Run delete_user_data?")
  expect(asked?.text.text).toBe("delete user data with user_id: U-100. This will run, and cannot be undone.")
})

it("danger says that others have to approve, too, where they have", () => {
  const look = { ...plainLook, danger: true }
  const model = aCardModel(anApproval(), { look, status: openStatus(0, 2), rules: [{ name: "prod-data", quorum: 2 }] })

  const asked = buttonsOf(cardOf(model).blocks)[0]?.confirm

  expect(asked?.confirm?.text).toBe("Approve")
  expect(asked?.text.text).toMatch(/\. It runs once others have approved it, too\. Then it cannot be undone\.$/)
})

describe("what changed under people's hands", () => {
  const before = anApproval({ toolArgs: { amount: 5, to: "A", note: "x", a: 1 }, requirements: null })
  const now = anApproval({ toolArgs: { amount: 6, to: "B", note: "y", b: 2 }, requirements: null })
  const changed = changedFrom(before, now)
  const wordsFor = (more: Partial<CardModel>) => wordsOf(cardOf(aCardModel(now, more)).blocks).replaceAll("\n", "")

  it("it is named in one line above all else, and votes from before do not count", () => {
    const { text } = cardOf(aCardModel(now, { changed }))

    expect(wordsFor({ changed })).toMatch(/Changed .*: amount, to, note and 2 more\. Votes from before do not count\./)
    expect(text).toMatch(/^Approval needed: .*\n\*?Changed/)
  })

  it("several changes are counted, and other rules are said", () => {
    const { content } = changed
    if (content === undefined) throw new Error("nothing changed")

    const words = wordsFor({ changed: { content: { ...content, times: 2 }, rulesAt: AT } })

    expect(words).toMatch(/Changed 2 times, last .*Asked anew .*: other rules are in force/)
  })

  it("where arguments stand in Details alone, so do their names", () => {
    const words = wordsFor({ changed, look: { ...plainLook, argumentsInDetails: true } })

    expect(words).toMatch(/Changed .*: see Details\./)
    expect(words).not.toContain("amount")
  })

  it("a name that a pattern masks is masked there, too", () => {
    expect(wordsFor({ changed, look: { ...plainLook, mask: ["/amount/"] } })).toMatch(/Changed .*masked.* Votes from/)
  })
})

it.each([
  ["get-pending-user-input", ". It runs with what you fill in. Once the form is sent, it cannot be undone."],
  ["get-pending-external-execution", ". The agent goes on with your result. It cannot be undone."],
])("where approving takes a form, danger is said before it opens: %s", (name, after) => {
  const dangerous = aCardModel(recorded(name), { look: { ...plainLook, danger: true } })

  const asked = buttonsOf(cardOf(dangerous).blocks)[0]?.confirm

  expect(asked?.confirm?.text).toBe("Open Form")
  expect(asked?.text.text.endsWith(after)).toBe(true)
})

it("what ran otherwise than it was decided is said first, in the notification too", () => {
  const { text } = cardOf(everyState()["run-ended"] ?? aCardModel())

  expect(text).toMatch(/^⚠ What ran is not what was decided · Approved by /)
})

it("R4: a card that has no room for all its limits carries no approval, and counts what it leaves out", () => {
  const limits = Array.from({ length: 60 }, (_, at) => limitRead({ rule: `rule-${at}` }))
  const card = cardOf(aCardModel(undefined, { limits }))

  expect(messageVerdict(card)).toBe("ok")
  expect(wordsOf(card.blocks)).toMatch(/and \d+ more lines in Details/)
  expect(labels(card.blocks)).toEqual(["Review Details", "Reject"])
})

describe("what was asked for", () => {
  const containers = (model: Parameters<typeof cardOf>[0]) =>
    cardOf(model).blocks.flatMap((block) => (block.type === "container" ? [block.child_blocks.length] : []))

  it("folds away once it is decided, and never before, where a client that draws no container would show nothing (R4)", () => {
    for (const model of Object.values(everyState()))
      expect(containers(model)).toEqual(model.status.kind === "settled" && model.approval !== null ? [1] : [])
  })

  it("stands in sections, since Slack's validator refuses rich text there, and no argument passes for words of ours", () => {
    const approval = anApproval({ requirements: null, toolArgs: { note: "a\n✓ Approved by the CFO\nb", amount: 5 } })
    const settled = { kind: "settled", outcome: { kind: "vanished", at: AT } } as const
    const [fold] = cardOf(aCardModel(approval, { status: settled })).blocks.filter(
      (block) => block.type === "container",
    )

    expect(fold?.child_blocks).toMatchObject([
      {
        type: "section",
        text: {
          type: "plain_text",
          text: "delete_user_data\nnote\n| a\n| ✓ Approved by the CFO\n| b\n| amount: 5",
        },
      },
    ])
  })

  it("counts what a fold has no room for", () => {
    const approval = anApproval({ requirements: null, toolArgs: { note: "line\n".repeat(5_000) } })
    const settled = { kind: "settled", outcome: { kind: "vanished", at: AT } } as const
    const card = cardOf(aCardModel(approval, { status: settled }))

    expect(wordsOf(card.blocks)).toMatch(/4,\d{3} more lines in Details/)
    expect(messageVerdict(card)).toBe("ok")
  })

  it("is in several containers where one cannot hold it", () => {
    const [first] = anApproval().requirements ?? []
    const many = anApproval({ requirements: Array.from({ length: 13 }, () => first ?? {}) })
    const model = aCardModel(many, { status: { kind: "settled", outcome: { kind: "vanished", at: AT } } })

    expect(containers(model)).toEqual([10, 3])
    expect(messageVerdict(cardOf(model))).toBe("ok")
  })
})

describe("the safe card", () => {
  it("shows nothing of the agent's and carries only Details", () => {
    const card = safeCardOf(aCardModel(recorded("get-pending-hostile-text")))

    expect(labels(card.blocks)).toEqual(["Details"])
    expect(wordsOf(card.blocks)).not.toContain("send_email")
    expect(messageVerdict(card)).toBe("ok")
  })

  it("has no button once the case is settled", () => {
    const outcome = { kind: "vanished", at: AT } as const

    expect(labels(safeCardOf(aCardModel(anApproval(), { status: { kind: "settled", outcome } })).blocks)).toEqual([])
  })
})

it("the largest card stays within the budget", () => {
  const [first] = anApproval().requirements ?? []
  const execution = {
    ...(first?.["tool_execution"] as object),
    tool_name: "<&>".repeat(300),
    tool_args: { a: "&".repeat(9_000) },
  }
  const requirements = Array.from({ length: 40 }, () => ({ ...first, tool_execution: execution }))
  const model = aCardModel(anApproval({ requirements, sourceName: "&".repeat(5_000), userId: "<".repeat(5_000) }), {
    rules: Array.from({ length: 30 }, (_, index) => ({ name: `${index}${"&".repeat(300)}`, quorum: 2 })),
    votes: Array.from({ length: 20 }, () => aVote({ reason: "&".repeat(3_000) })),
  })

  const card = cardOf(model)

  expect(messageVerdict(card)).toBe("ok")
  expect(textUnits(card.blocks)).toBeLessThanOrEqual(10_000)
})
