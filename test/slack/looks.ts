// All that people can see of a case in Slack, by name: each state of its card, each kind of pause, each view.
import { type CardModel, untimed } from "../../src/domain/case/card-model.ts"
import type { CaseEvent } from "../../src/domain/case/event.ts"
import type { Approval } from "../../src/domain/content/approval.ts"
import { inputsOf } from "../../src/domain/content/inputs.ts"
import type { JsonObject } from "../../src/domain/content/json.ts"
import type { News } from "../../src/domain/fingerprint/news.ts"
import { plainLook } from "../../src/domain/policy/look.ts"
import { editableCalls } from "../../src/domain/send-back/editable.ts"
import type { Details, VoteForm } from "../../src/flow/ports/inbound.ts"
import type { Absence, RunAnswer, SummaryModel } from "../../src/flow/ports.ts"
import { linesOf } from "../../src/slack/chat/thread-lines.ts"
import { formIds } from "../../src/slack/ids.ts"
import { fullHelpMessage, helpMessage } from "../../src/slack/lists/command-messages.ts"
import { homeView, summaryOf } from "../../src/slack/lists/home-and-summary.ts"
import { historyMessage, listMessage } from "../../src/slack/lists/list-messages.ts"
import { stopNotice, stopOutcomeMessage, stopsMessage } from "../../src/slack/lists/stop-messages.ts"
import { answerWords } from "../../src/slack/text/answer-words.ts"
import { absenceForm } from "../../src/slack/views/absence-form.ts"
import { targetOf } from "../../src/slack/views/button-values.ts"
import { cardOf } from "../../src/slack/views/card.ts"
import { changedView, detailsView, toldView } from "../../src/slack/views/details.ts"
import { formView, reviewFormView } from "../../src/slack/views/form/vote-form.ts"
import { answerMessage, questionFormView, questionMessage } from "../../src/slack/views/question-views.ts"
import { endView, rejectView, startAfter, stopForm } from "../../src/slack/views/stop-form.ts"
import { aQuestion } from "../support/builders.ts"
import { anAbsence, aStop } from "../support/orders.ts"
import {
  AT,
  aCardModel,
  anApproval,
  aVote,
  changedFrom,
  everyState,
  openStatus,
  PAUSES,
  proposalEnds,
  recorded,
} from "./card-models.ts"

/** A message or a view; a view has a type. */
export interface Look {
  readonly type?: string
  readonly text?: string
  readonly blocks: readonly object[]
}

/** Looks by their name. */
export type Looks = Readonly<Record<string, Look>>

/** Kinds whose every state has a look of its own, and the fixture of each. */
const KINDS = {
  external: "get-pending-external-execution",
  several: "get-pending-multi-tool",
  team: "get-pending-team",
  "user-input": "get-pending-user-input",
}

const runEnded: CaseEvent = {
  kind: "run-ended",
  at: AT,
  run: "run-1",
  end: "completed",
  by: "us",
  detail: null,
  deviations: [],
}
const may = { ok: true, rules: ["prod-data"] } as const
const route = "channel:C0APPROVALS"
const masked = aCardModel(anApproval({ toolArgs: { user: "bob", password: "hunter2" }, requirements: null }), {
  look: { ...plainLook, mask: ["password"] },
})

const several = aCardModel(recorded("get-pending-multi-tool"), { look: { ...plainLook, mask: ["subject"] } })

/** The card of a plain confirmation in each state. */
export function stateLooks(): Looks {
  return cardsOf({ ...everyState(), ...proposalEnds() })
}

/** For each other kind of pause its card in each state. */
export function kindLooks(): Readonly<Record<string, Looks>> {
  return mapped(KINDS, (fixture) => cardsOf(everyState(recorded(fixture))))
}

/** The open card of each recorded pause, and of one with masked arguments. */
export function pauseLooks(): Looks {
  const open = Object.fromEntries(PAUSES.map((name) => [name, aCardModel(recorded(name))]))
  const secret = { user: "bob", password: "hunter2", note: "use sk-123abc", requirements: null }
  const look = { ...plainLook, mask: ["password", "/sk-[a-z0-9]+/"] }
  return cardsOf({ ...open, masked: aCardModel(anApproval({ toolArgs: secret, requirements: null }), { look }) })
}

/** Open cards of one call with arguments of every kind, and the looks that rules give them. */
export function argumentLooks(): Looks {
  const refund = { invoice: "INV-2041", amount: JSON.rawJSON("129.90"), currency: "EUR", recipient: "Jane Doe" }
  const say = "Refund {amount} {currency} to invoice {invoice}"
  const first = { showFirst: ["amount", "recipient"] }
  const cards = cardsOf({
    "show-first": anArgumentFace(refund, first),
    say: anArgumentFace(refund, { ...first, say: [say] }),
    "say-lacks": anArgumentFace({ ...refund, invoice: "" }, { say: [say] }),
    "say-too-long": anArgumentFace({ ...refund, invoice: "x".repeat(130) }, { say: [say] }),
    "say-settled": aCardModel(payment(refund), {
      look: { ...plainLook, say: [say] },
      votes: [aVote()],
      status: everyState()["approved"]?.status ?? openStatus(0, 1),
    }),
    "in-details": anArgumentFace(refund, { argumentsInDetails: true }),
    "look-alikes": anArgumentFace({
      number: "129.90",
      truth: "true",
      nothing: null,
      empty: "",
      spaces: " x",
      quoted: '"x"',
      list: "[]",
      tab: "a\tb",
      json: '{"a": 1}',
    }),
    nested: anArgumentFace({
      items: [{ sku: "A-1", qty: 2, notes: ["fragile", "key: value"] }, "free sample", [], { a: {} }],
      body: { subject: "Hello", text: "Dear Jane,\n\nthank you." },
    }),
    "sql-short": anArgumentFace({ database: "prod", sql: "UPDATE users\nSET active = false\nWHERE id = 7;\n" }),
    "sql-of-40-lines": anArgumentFace({ database: "prod", sql: sqlOf(40), dry_run: false }),
    diff: anArgumentFace({ path: "src/a.ts", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-const a = 1\n+const a = 2" }),
    crlf: anArgumentFace({ text: "one\r\ntwo\r\n" }),
    "long-line": anArgumentFace({ token: "x".repeat(9_000) }),
    "what-is-new": aNewFace({}),
    "what-is-new-in-details-alone": aNewFace({ argumentsInDetails: true }),
    "what-is-new-masked-and-elsewhere": { ...aNewFace({ mask: ["iban"] }), route: "channel:C0OTHER" },
    "what-is-new-unread": aCardModel(payment({ amount: 1 }), { news: { items: [], more: 0, unread: true } }),
    "odd-names": anArgumentFace({ "Approved by\nalice": "1 more line in Details", "a b": "", "▒▒": null }),
  })
  return { ...cards, "what-is-new-in-details": details(aNewFace({})) }
}

function anArgumentFace(args: JsonObject, look: Partial<CardModel["look"]> = {}): CardModel {
  return aCardModel(payment(args), { look: { ...plainLook, ...look } })
}

/** A payment to another account than ever before. */
function aNewFace(look: Partial<CardModel["look"]>): CardModel {
  const args = { iban: "LT60 1010 <!here> *bold*", amount: 4980, bcc: ["eve@example.org"], memo: "second reminder" }
  const news: News = {
    items: [
      { call: 0, path: "iban", kind: "new", place: ["iban"] },
      { call: 0, path: "amount", kind: "more", place: ["amount"] },
      { call: 0, path: "bcc[]", kind: "field", place: ["bcc", 0] },
      { call: 0, path: "memo", kind: "changed", place: ["memo"] },
      { call: 0, path: "cost_centre", kind: "gone" },
    ],
    more: 2,
    rejected: { at: AT - 86_400_000, times: 1, routes: [route], by: "Alice", reason: "Not our *supplier*" },
  }
  return aCardModel(payment(args), { look: { ...plainLook, ...look }, news })
}

function payment(toolArgs: JsonObject): Approval {
  return anApproval({ toolName: "pay", toolArgs, requirements: null, sourceName: "Billing Agent" })
}

function sqlOf(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `UPDATE users SET active = false WHERE id = ${at + 1};`).join("\n")
}

/** Every view, and the summaries of what waits. */
export function viewLooks(): Looks {
  const votedOn = everyState()["one-of-two"] ?? aCardModel()
  const before = anApproval({ toolArgs: { user_id: "U-99" }, requirements: null })
  const now = aCardModel(anApproval({ toolArgs: { user_id: "U-100", force: true }, requirements: null }), {
    revision: 2,
  })
  return {
    "details-open": details(aCardModel()),
    "details-withdraw": details(votedOn, { own: "approve" }),
    "details-changed": details({ ...now, changed: changedFrom(before, now.approval ?? before) }),
    "details-masked": details(masked),
    "details-revealed": details(masked, { revealed: true }),
    "details-request": details(masked, { request: { kind: "read", input: requestOf(25) } }),
    "details-request-unread": details(aCardModel(), { request: { kind: "unread", why: "not-allowed" } }),
    "details-call-back": details(aCardModel(), { callBack: true }),
    "details-on-hold": details(aCardModel(undefined, { onHold: true })),
    "form-values": form(aCardModel(recorded("get-pending-user-input-choices")), "approve"),
    "form-result": form(aCardModel(recorded("get-pending-external-execution")), "approve"),
    "form-reason": form(aCardModel(), "reject", { required: true, choices: ["Wrong person", "Not now"] }),
    "form-lasting": form(aCardModel(), "reject", { required: false, choices: [] }, { lastingMs: 600_000 }),
    "form-may-send-back": form(
      aCardModel(),
      "reject",
      { required: true, choices: [] },
      { lastingMs: 600_000, maySendBack: true },
    ),
    "form-send-back": form(
      several,
      "reject",
      { required: false, choices: ["Wrong person", "Not now"] },
      { sendBack: { calls: editableCalls(several.approval ?? anApproval(), ["subject"]), unheard: "held" } },
    ),
    "form-call-back": form(aCardModel(), "reject", { required: false, choices: [] }, { calledBack: true }),
    "details-break-glass": details(aCardModel(), { glass: true }),
    "form-break-glass": form(
      aCardModel(),
      "approve",
      { required: true, choices: [] },
      { glass: { word: "delete_user_data", names: "tool" } },
    ),
    "form-glass-review": reviewFormView({ target: targetOf(aCardModel()), verb: null, place: null }, aCardModel()),
    ...questionLooks(),
    changed: changedView({ before, now }),
    "thread-answer": threadOf({ kind: "read", content: requestOf(45), mask: ["/ask/"] }),
    "thread-answer-empty": threadOf({ kind: "read", content: "", mask: [] }),
    "thread-answer-unread": threadOf({ kind: "unread" }),
    told: toldView(answerWords({ kind: "resolved", verb: "approve", resolvedBy: "alice@sandbox.example" })),
    home: home(),
    "home-search": home({ page: 2, found: true }),
    "home-may-be-away": home({ mayBeAway: true }),
    "home-away": home({ absences: [anAbsence({ person: "T1:U0ALICE", standIn: "T1:U0BOB" })] }),
    "form-away": absenceForm([{ id: { team: "T1", user: "U0BOB" }, name: "Bob", rules: ["all"] }], ""),
    ...listLooks(),
    ...summaryLooks(),
  }
}

/** Pages of the list and of the history, and help. */
function listLooks(): Looks {
  const refund = { invoice: "INV-2041", amount: JSON.rawJSON("129.90"), currency: "EUR", recipient: "Jane Doe" }
  const say = ["Refund {amount} {currency} to invoice {invoice}"]
  const { held = aCardModel(), approved = aCardModel(), rejected = aCardModel() } = everyState()
  const waiting = [
    aCardModel(payment(refund), { look: { ...plainLook, say }, time: { ...untimed, decideBy: AT + 1_740_000 } }),
    aCardModel(payment(refund), { look: { ...plainLook, say, danger: true } }),
    anArgumentFace({ query: sqlOf(1), database: "prod" }),
    anArgumentFace(refund, { mask: ["invoice", "amount"] }),
    held,
  ]
  const refused = { ...rejected, votes: [aVote({ verb: "reject", reason: "Not our supplier:\nsee their letter" })] }
  const [asked, listing] = [
    { words: ["agent:billing"], at: AT },
    { models: waiting, total: 12, more: false },
  ]
  return {
    list: listMessage(listing, 2, asked),
    "list-empty": listMessage({ models: [], total: 0, more: false }, 1, { ...asked, meant: "/approvals list mine" }),
    history: historyMessage({ models: [approved, { ...refused, onHold: true }], total: 2, more: false }, 1, asked),
    help: helpMessage("/approvals"),
    "help-more": fullHelpMessage("/approvals"),
  }
}

function summaryLooks(): Looks {
  const { approved = aCardModel(), rejected = aCardModel() } = everyState()
  const waiting = [0, 1, 2].map(aCase)
  const walk = { route, left: 2 }
  return {
    "summary-waiting": summaryOf(aSummary({ waiting })),
    "summary-under-way": summaryOf(
      aSummary({ waiting, ended: [approved, { ...rejected, caseId: caseId(9) }], moved: 4 }),
    ),
    "summary-over": summaryOf(aSummary({ ended: [approved], moved: 1 })),
    "summary-walk": details(aCase(1), { walk }),
    ...stopLooks(),
  }
}

const billing = { caseId: caseId(7), tool: "refund_order", agent: "billing-agent" }

/** What people see of stops. */
function stopLooks(): Looks {
  const stop = aStop({ match: { agent: ["billing-agent"] }, at: AT })
  const ada = { kind: "person", team: "T1", user: "U0ALICE", name: "Ada" } as const
  const under = { waiting: 12, perhaps: 2, runs: [billing], onWay: [{ ...billing, at: AT }], gates: 2 }
  const unknown = [{ word: "agent", value: "biling", nearest: ["billing-agent"] }] as const
  const typed = ["agnet:billing-agent", "runaway", "refunds"]
  const likely = { kind: "unknown-word", word: "agnet:billing-agent", likely: "agent:billing-agent" } as const
  return {
    "details-to-stop": details(aCardModel(), { stopWords: "agent:billing-agent" }),
    "stop-form": stopForm(startAfter(typed, likely)),
    "stop-answer": stopOutcomeMessage({ kind: "stopped", stop: { ...stop, by: ada }, under, unknown }, "/approvals"),
    "stop-notice": stopNotice({ ...stop, by: ada }, "/approvals"),
    "stop-refused": stopOutcomeMessage({ kind: "not-allowed", why: "not-listed" }, "/approvals"),
    "stops-list": stopsMessage([stop, { ...aStop({ id: "s-2", at: AT }), until: AT + 7_200_000 }], "/approvals"),
    "stops-none": stopsMessage([], "/approvals"),
    "stop-end": endView({ kind: "may", stop, waiting: 12, runs: [billing], late: [billing] }, "s-1"),
    "stop-reject": rejectView({ kind: "may", stop, waiting: 12, at: 0 }, "s-1"),
    "stop-end-refused": endView({ kind: "not-allowed", why: "own", stop }, "s-1"),
    "home-stopped": homeView({ ...homeModel(1), found: null, stops: [stop] }, "/approvals"),
  }
}

function cardsOf(models: Readonly<Record<string, CardModel>>): Looks {
  return mapped(models, (model) => cardOf(model))
}

type Shown = Parameters<typeof detailsView>[0] &
  Pick<Details, "own" | "request" | "callBack" | "stopWords" | "glass" | "mayAsk" | "questions">

function details(model: CardModel, more: Partial<Shown> = {}): Look {
  const { own = null, request, callBack, stopWords, glass, mayAsk, questions, ...shown } = more
  const opened = { page: 1, seen: 0, place: null, revealed: false, pageSize: "large", anew: null } as const
  const asked = {
    ...(request && { request }),
    ...(callBack && { callBack }),
    ...(stopWords && { stopWords }),
    ...(glass && { glass }),
    ...(mayAsk && { mayAsk }),
    ...(questions && { questions }),
  }
  return detailsView({ ...opened, ...shown, details: { model, approve: may, reject: may, own, ...asked } })
}

/** What people see of questions: Details, the forms, and the messages. */
function questionLooks(): Looks {
  const by = { team: "T1", user: "U0ALICE" }
  const open = aQuestion({ by, at: AT, text: "Why <@U1>,\n*this* one?" })
  const answer = { interaction: "i", by: { team: "T1", user: "U0RITA" }, at: AT, text: "She \u200basked." }
  const model = aCardModel()
  const note = { target: targetOf(model), verb: null, place: null }
  const listed = aQuestion({ by, at: AT, to: "listed", answer })
  return {
    "details-asked": details(model, { mayAsk: true, questions: [{ ...open, answer }, listed, open] }),
    "form-ask": questionFormView(note, { kind: "form", model, to: "requester", question: null }),
    "form-ask-listed": questionFormView(note, { kind: "form", model, to: "listed", question: null }),
    "form-answer": questionFormView(note, { kind: "form", model, to: "requester", question: open }),
    question: questionMessage(masked, open),
    "question-answered": questionMessage(model, { ...open, answer }),
    "question-blank": questionMessage({ ...model, blank: true }, { ...open, answer }),
    "question-told": answerMessage(model, { ...open, answer }),
  }
}

/** The message in the thread of whoever asked that says how the run ended. */
function threadOf(answer: RunAnswer): Look {
  const { text, blocks } = linesOf([runEnded], { answer })
  return { text, blocks }
}

function requestOf(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `${at + 1}. Please ask <@U1> for *it*.`).join("\n")
}

function form(
  model: CardModel,
  verb: "approve" | "reject",
  reason: VoteForm["reason"] = null,
  more: Pick<VoteForm, "glass" | "lastingMs" | "sendBack" | "maySendBack"> & { readonly calledBack?: true } = {},
): Look {
  const { calledBack, ...rest } = more
  const inputs = model.approval === null ? { fields: [], result: [] } : inputsOf(model.approval)
  const kind = {
    ...(calledBack && { calledBack }),
    ...(rest.glass && { glass: true as const }),
    ...(rest.sendBack && { sendBack: true as const }),
  }
  const begun = rest.sendBack && { begun: { value: (block: string) => begunWith[block] ?? "" } }
  const note = { target: targetOf(model), verb, ...kind, place: null }
  return formView(note, verb, { model, inputs, reason, earlier: null, ...rest, ...begun })
}

/** What somebody typed in the form in whose place another one comes, by block. */
const begunWith: Readonly<Record<string, string>> = {
  [formIds.choice]: "Not now",
  [formIds.reason]: "Ask for *one* user:\n<@U1>",
}

function home({
  page = 1,
  found = false,
  absences = [] as readonly Absence[],
  mayBeAway = undefined as true | undefined,
} = {}): Look {
  const { searched, ...all } = homeModel(page)
  return homeView({ ...all, absences, ...(mayBeAway && { mayBeAway }), found: found ? searched : null }, "/approvals")
}

function homeModel(page: number) {
  const shut = aCardModel(anApproval(), { troubles: [{ route, why: "is_archived" }] })
  const mine = { models: [aCardModel(recorded("get-pending-user-input")), shut], total: 2, more: false }
  const decided = { models: [everyState()["closed"] ?? aCardModel()], total: 1, more: false }
  const risky = aCardModel(anApproval(), { look: { ...aCardModel().look, risk: "high" } })
  const searched = { asked: "delete status:waiting", waiting: { models: [risky], total: 9, more: false }, decided }
  const shown = page === 1 ? mine : { ...mine, total: 25 }
  const requests = { models: [risky], total: 1, more: false }
  return { mine: shown, page, waiting: shown.total + 3, requests, decided, at: AT, searched }
}

function aSummary(more: Partial<SummaryModel>): SummaryModel {
  return { installation: "main", route, id: "s1", waiting: [], ended: [], moved: 0, ...more }
}

function aCase(index: number): CardModel {
  const approval = anApproval({ toolArgs: { user_id: `U-${index}` }, requirements: null })
  return aCardModel(approval, { caseId: caseId(index), status: openStatus(0, 1) })
}

function caseId(index: number): string {
  return index.toString(16).padStart(20, "0")
}

function mapped<From, To>(table: Readonly<Record<string, From>>, to: (one: From) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(table).map(([name, one]) => [name, to(one)]))
}
