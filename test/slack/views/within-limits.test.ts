// Within Slack's limits: however many rules, limits, calls, fields, votes and texts there are, Slack takes every
// message and view that we make of them. The sandbox refuses what this test calls refused: both ask the same validator.

import fc from "fast-check"
import { expect, it } from "vitest"
import type { InputField } from "../../../src/domain/content/inputs.ts"
import type { JsonObject } from "../../../src/domain/content/json.ts"
import type { VoteForm } from "../../../src/flow/ports/inbound.ts"
import { createBlockFallback } from "../../../src/slack/chat/block-fallback.ts"
import { originMessage } from "../../../src/slack/chat/thread-lines.ts"
import { whyMessage } from "../../../src/slack/lists/command-messages.ts"
import { homeView, summaryOf } from "../../../src/slack/lists/home-and-summary.ts"
import { historyMessage, listMessage } from "../../../src/slack/lists/list-messages.ts"
import { answerWords } from "../../../src/slack/text/answer-words.ts"
import { ChatError } from "../../../src/slack/transport/errors.ts"
import { targetOf, writeNote } from "../../../src/slack/views/button-values.ts"
import { cardOf, type Message, safeCardOf } from "../../../src/slack/views/card.ts"
import { changedView, detailsAgainView, detailsView } from "../../../src/slack/views/details.ts"
import { type FormValues, formView, readForm } from "../../../src/slack/views/form/vote-form.ts"
import { words } from "../../../src/slack/views/words.ts"
import { runsOf } from "../../support/runs.ts"
import { AT, aCardModel, limitRead } from "../card-models.ts"
import { patienceMs } from "../hostile.ts"
import { labels, messageVerdict, viewVerdict, wordsOf } from "../sight.ts"
import { count, many, sizedFace, sizedForm } from "../sized.ts"

const runs = { numRuns: runsOf(100) }
const judgement = (names: readonly string[]) =>
  names.length === 0
    ? ({ ok: false, refusal: { code: "requester", rule: "&".repeat(60) } } as const)
    : ({ ok: true, rules: names } as const)

it(
  "a card of any size, also where Slack takes no container",
  async () => {
    await fc.assert(
      fc.asyncProperty(sizedFace, async (model) => {
        const card = cardOf(model)

        expect(messageVerdict(card)).toBe("ok")
        expect(messageVerdict(await plainly(card))).toBe("ok")
        expect(messageVerdict(safeCardOf(model))).toBe("ok")
        expect(messageVerdict(originMessage(model))).toBe("ok")
      }),
      runs,
    )
  },
  patienceMs,
)

/** As a Slack gets it that takes none of the newer blocks. */
async function plainly(message: Message): Promise<Message> {
  const log = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} }
  let tries = 0
  return createBlockFallback(log)(message, async (sent) => {
    tries += 1
    if (tries === 1 && message.blocks.some(({ type }) => type === "container"))
      throw new ChatError({ code: "refused", method: "chat.update", message: "refused", slackCode: "invalid_blocks" })
    return sent
  })
}

it(
  "every page of why, whatever rules and limits there are",
  () => {
    fc.assert(
      fc.property(sizedFace, count(400), fc.nat(30), (model, users, page) => {
        const rules = model.rules.map(({ name, quorum, when }) => {
          const who = many(users, (at) => `U${String(at).padStart(10, "0")}`)
          return { name, quorum, users: who, more: users, ...(when && { when }) }
        })
        const may = judgement(model.rules.map(({ name }) => name))
        const details = { model, approve: may, reject: may, own: null }

        expect(messageVerdict(whyMessage({ details, rules }, page, "/approvals"))).toBe("ok")
      }),
      runs,
    )
  },
  patienceMs,
)

it("why with 45 rules and 7 limits names each of them, on one of its pages", () => {
  const rules = many(45, (at) => ({ name: `rule-${at}`, quorum: 1, users: ["U0ALICE"], more: 0 }))
  const limits = many(7, (at) => limitRead({ rule: `rule-${at}`, doubt: "unknown" }))
  const model = aCardModel(undefined, { rules, limits })
  const may = judgement(["rule-0"])
  const pages = many(2, (at) =>
    whyMessage({ details: { model, approve: may, reject: may, own: null }, rules }, at + 1, "/a"),
  )

  expect(pages.map(messageVerdict)).toEqual(["ok", "ok"])
  const said = pages.map(({ blocks }) => wordsOf(blocks)).join("\n")
  expect(rules.filter(({ name }) => !said.includes(`Rule \n${name}\n`))).toEqual([])
  expect(limits.filter(({ rule }) => !said.includes(`the limit of rule \n${rule}\n`))).toEqual([])
})

it(
  "every page of Details, also below what changed",
  () => {
    fc.assert(
      fc.property(sizedFace, fc.boolean(), fc.constantFrom("large", "small"), (model, revealed, pageSize) => {
        const may = judgement(model.rules.map(({ name }) => name))
        const request = { kind: "read", input: "漢".repeat(9_000) } as const
        const details = { model, approve: may, reject: may, own: "approve", request } as const
        const walk = { route: model.route, left: 9 }
        for (let page = 1, more = true; more; page++) {
          const view = detailsView({
            details,
            page,
            seen: page - 1,
            place: null,
            revealed,
            pageSize,
            anew: "changed",
            walk,
          })
          expect(viewVerdict(view)).toBe("ok")
          more = labels(view.blocks).includes("Next") && page < 3
        }
        const before = model.changed?.content?.before ?? null
        const answer = { kind: "changed", change: { before, now: model } } as const
        expect(viewVerdict(detailsAgainView(answer, { details, place: null, pageSize }))).toBe("ok")
        expect(viewVerdict(changedView({ before, now: model }))).toBe("ok")
      }),
      { numRuns: runsOf(40) },
    )
  },
  patienceMs,
)

it(
  "a form of any number of fields, choices, rules and limits, for either verb",
  () => {
    fc.assert(
      fc.property(sizedForm, fc.constantFrom("approve", "reject"), (form, verb) => {
        const note = { target: targetOf(form.model), verb, place: { channel: "C1", ts: "1.2" } } as const

        expect(viewVerdict(formView(note, verb, form))).toBe("ok")
      }),
      runs,
    )
  },
  patienceMs,
)

const anInput: InputField = {
  name: "to",
  kind: "text",
  type: "str",
  description: "",
  guess: null,
  choices: [],
  calls: 1,
}

function aForm(fields: readonly InputField[], more: Parameters<typeof aCardModel>[1] = {}): VoteForm {
  return { model: aCardModel(undefined, more), inputs: { fields, result: [] }, reason: null, earlier: null }
}

/** What each input holds when it is submitted: the given texts in order. */
function holding(values: readonly string[]): FormValues {
  return { value: (block) => values[Number(/^field_(\d+)$/.exec(block)?.[1] ?? -1)] ?? "" }
}

it("a form of 90 fields and 7 rules that depend on what is filled in can be approved", () => {
  const when = { text: "args.amount > 1000", truth: "unknown", doubts: ["args.amount"] } as const
  const rules = many(7, (at) => ({ name: `rule-${at}`, quorum: 1, approvers: ["U0ALICE"], when }))
  const form = aForm(
    many(90, (at) => ({ ...anInput, name: `field ${at}` })),
    { rules },
  )
  const view = formView({ target: targetOf(form.model), verb: "approve", place: null }, "approve", form)

  expect(viewVerdict(view)).toBe("ok")
  expect(wordsOf(view.blocks)).toContain("and 3 more rules, \nall of them in Details")
  const read = readForm(holding(many(90, String)), "approve", form)
  expect(read.ok && Object.keys((read.filled?.["values"] ?? {}) as JsonObject).length).toBe(90)
})

it("where a view has no room for all menus, people type into the largest, and what they type is read as the choice", () => {
  const choices = many(100, (at) => `${at} ${"x".repeat(70)}`)
  const large = many(12, (at) => ({ ...anInput, name: `large ${at}`, kind: "choice" as const, choices }))
  const form = aForm([...large, { ...anInput, name: "small", kind: "choice", choices: [1, 2] }])
  const view = formView({ target: targetOf(form.model), verb: "approve", place: null }, "approve", form)
  const kinds = view.blocks.flatMap((block) => ("element" in block ? [block.element.type] : []))

  expect(viewVerdict(view)).toBe("ok")
  expect(kinds.filter((kind) => kind === "static_select").length).toBeGreaterThan(3)
  expect(kinds.filter((kind) => kind === "plain_text_input").length).toBeGreaterThan(3)
  expect(kinds.at(-1)).toBe("static_select")
  const read = readForm(holding([...large.map((_, at) => choices[at] ?? ""), "2"]), "approve", form)
  const values = Object.fromEntries([...large.map(({ name }, at) => [name, choices[at]]), ["small", 2]])
  expect(read).toEqual({ ok: true, filled: { values }, reason: null })
})

it(
  "lists, summary and Home of cases of any size",
  () => {
    fc.assert(
      fc.property(sizedFace, count(10), count(60), (model, length, waiting) => {
        const models = many(length, () => model)
        const listing = { models, total: 5_000, more: true, next: { after: 2_000, back: AT } }
        const five = { ...listing, models: models.slice(0, 5) }
        const found = { asked: "漢".repeat(500), waiting: five, decided: five }
        const home = { mine: listing, page: 2, waiting: 6_000, requests: five, decided: five, found, at: AT }
        const summary = {
          route: model.route,
          waiting: many(waiting, () => model),
          ended: models,
          moved: 9,
          installation: "main",
          id: "s1",
        }

        expect(messageVerdict(listMessage(five, 2, { words: ["text:漢"], at: AT }))).toBe("ok")
        expect(messageVerdict(historyMessage(five, 2, { words: ["text:漢"], at: AT }))).toBe("ok")
        expect(viewVerdict(homeView(home, "/approvals"))).toBe("ok")
        expect(messageVerdict(summaryOf(summary))).toBe("ok")
      }),
      { numRuns: runsOf(30) },
    )
  },
  patienceMs,
)

it(
  "an answer that names any number of rules, people or fields",
  () => {
    fc.assert(
      fc.property(sizedFace, (model) => {
        const names = model.rules.map(({ name }) => name)
        const progress = names.map((rule) => ({ rule, have: 0, need: 9 }))
        for (const answer of [
          { kind: "counted", verb: "approve", progress },
          { kind: "input-missing", names },
          { kind: "already", verb: "approve", users: model.votes.map(({ user }) => user), pending: true },
        ] as const)
          expect(messageVerdict(words(answerWords(answer)))).toBe("ok")
      }),
      runs,
    )
  },
  patienceMs,
)

it("the note of a view fits into private_metadata with the longest of everything that it can hold", () => {
  const route = `channel:${"C".repeat(30)}`
  const bound = { era: Number.MAX_SAFE_INTEGER, count: Number.MAX_SAFE_INTEGER }
  const target = {
    installation: "i".repeat(63),
    caseId: "a".repeat(20),
    route,
    revision: Number.MAX_SAFE_INTEGER,
    digest: "a".repeat(16),
    bound,
  }
  const place = { channel: "C".repeat(30), ts: "1795262461.000100" }
  const answer = { responseUrl: `https://hooks.slack.com/actions/${"T".repeat(200)}`, channel: "C".repeat(30) }

  expect(writeNote({ target, verb: "approve", place, walk: { route, left: 9_999 }, answer }).length).toBeLessThan(1_000)
})
