// The Slack module as production makes it, connected to a local workspace, with a flow that keeps its books in memory.

import { createServer } from "node:http"
import { onTestFinished } from "vitest"
import type { CardModel } from "../../src/domain/case/card-model.ts"
import type { Place } from "../../src/domain/case/case.ts"
import { asksForInput, inputsOf } from "../../src/domain/content/inputs.ts"
import type { Json } from "../../src/domain/content/json.ts"
import type { Verb } from "../../src/domain/policy/judge.ts"
import { editableCalls } from "../../src/domain/send-back/editable.ts"
import type {
  Details,
  HistoryAsk,
  Inbound,
  ListAsk,
  PageAsk,
  ReceiptAsk,
  ReceiptShown,
  Taken,
  VoteForm,
  Why,
} from "../../src/flow/ports/inbound.ts"
import type { Interaction, Target } from "../../src/flow/ports/interaction.ts"
import type { Answer } from "../../src/flow/ports/reply.ts"
import type { Log, OpenedView, SharedAnswers } from "../../src/flow/ports.ts"
import { isVote } from "../../src/flow/vote/forms.ts"
import type { Sandbox } from "../../src/sandbox.ts"
import { createSlack, type Slack, type SlackOptions } from "../../src/slack/app.ts"
import { aSandbox, type Mode } from "../sandbox/support.ts"
import { aQuestion } from "../support/builders.ts"
import { anOrderFlow, type OrderFlow } from "./order-flow.ts"

/** One line that was logged. */
export interface Logged {
  readonly level: string
  readonly event: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A log that keeps its lines. */
export function aLog(): Log & { readonly lines: Logged[] } {
  const lines: Logged[] = []
  const put =
    (level: string) =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, event, fields })
    }
  return { lines, debug: put("debug"), info: put("info"), warn: put("warn"), error: put("error") }
}

/** A flow in memory: what it was asked, and what it knows. */
export interface AFlow extends Inbound {
  /** The acts on orders, which `flow` itself passes on. */
  readonly orders: OrderFlow
  readonly models: Map<string, CardModel>
  readonly judged: Omit<Details, "model">
  readonly presses: Interaction[]
  readonly opens: OpenedView[]
  /** What lists were asked for. */
  readonly asks: ListAsk[]
  readonly pastAsks: HistoryAsk[]
  /** Where a look that begins at 0 ends before all was looked through; null: it comes to the end. */
  next: number | null
  readonly changedChannels: string[]
  readonly deletions: { readonly caseId: string; readonly place: Place }[]
  /** The verbs for which a reason is wanted. */
  readonly wants: Set<Verb>
  /** Who may decide: what `why` tells. */
  rules: Why["rules"]
  /** What somebody is told who asks for a form and may not vote; null: they get the form. */
  refusal: Answer | null
  /** What carrying a press out does. Default: nothing. */
  carried: (press: Interaction) => Promise<void>
  /** Thrown by the next call of anything, as a Redis or platform that is down. */
  broken: Error | null
  /** Thrown before every ack, as where a newer Countersign took over. */
  replaced: Error | null
  /** What a press of "Receipt" shows. */
  receiptShown: ReceiptShown
  /** By whom, and from where, receipts were asked for. */
  readonly receiptAsks: ReceiptAsk[]
  /** What is told to whom Details are not shown, who pressed a message. */
  hidden: Answer
}

/** Makes a flow that knows these models and lets everybody decide. */
export function aFlow(...models: readonly CardModel[]): AFlow {
  const known = new Map(models.map((model) => [model.caseId, model]))
  const judged = {
    approve: { ok: true, rules: ["prod-data"] },
    reject: { ok: true, rules: ["prod-data"] },
    own: null,
  } as const
  const working = () => {
    if (flow.broken !== null) throw flow.broken
  }
  const listing = ({ offset, limit, after = 0 }: PageAsk) => {
    const models = [...known.values()].slice(offset, offset + limit)
    const next =
      flow.next !== null && after === 0 ? { next: { after: flow.next, back: Date.parse("2026-11-21T12:00:00Z") } } : {}
    return { models, total: known.size, more: "next" in next, ...next }
  }
  const orders = anOrderFlow()
  /** The form without which nobody may vote so; null where a press is enough. */
  const needed = ({ caseId, route }: Pick<Target, "caseId" | "route">, verb: Verb): VoteForm | null => {
    const model = known.get(caseId)
    if (model === undefined || model.approval === null) return null
    const inputs = verb === "approve" ? inputsOf(model.approval) : { fields: [], result: [] }
    const reason = flow.wants.has(verb) ? { required: true, choices: model.look.reasons } : null
    return reason === null && !asksForInput(inputs)
      ? null
      : { model: { ...model, route }, inputs, reason, earlier: null }
  }
  const flow: AFlow = {
    away: async () => ({ kind: "nobody", may: [] }),
    back: async () => ({ kind: "none" }),
    mayStandIn: async () => [],
    models: known,
    orders,
    stop: (ask) => orders.stop(ask),
    stops: (person) => orders.stops(person),
    ending: (ask) => orders.ending(ask),
    endStop: (ask) => orders.endStop(ask),
    rejecting: (ask) => orders.rejecting(ask),
    rejectWaiting: (order) => orders.rejectWaiting(order),
    judged,
    presses: [],
    opens: [],
    asks: [],
    pastAsks: [],
    next: null,
    deletions: [],
    changedChannels: [],
    wants: new Set(),
    rules: [{ name: "prod-data", quorum: 1, users: ["U0ALICE"], more: 0 }],
    refusal: null,
    carried: async () => {},
    broken: null,
    replaced: null,
    receiptShown: { kind: "gone" },
    receiptAsks: [],
    hidden: { kind: "unknown-case" },
    notShown: async (_caseId, _person, place) => (place === null ? { kind: "unknown-case" } : flow.hidden),
    demandNewest: async () => {
      if (flow.replaced !== null) throw flow.replaced
    },
    take: async (interaction): Promise<Taken> => {
      working()
      flow.presses.push(interaction)
      return {
        ticket: { id: `t${flow.presses.length}`, interaction, takenAt: interaction.at, era: 0 },
        current: Promise.resolve(undefined),
      }
    },
    carryOut: ({ ticket }) => flow.carried(ticket.interaction),
    needsForm: async ({ ticket: { interaction } }) => {
      const { verb, surface, target } = interaction
      if (!isVote(verb) || surface === "form") return false
      return needed(target, verb) !== null
    },
    ask: async (press) => {
      working()
      if (flow.refusal !== null) return { kind: "answer", answer: flow.refusal }
      const form = needed(press.target, press.verb) ?? (await flow.form(press.target, { ...press, verb: "reject" }))
      return form === null ? { kind: "answer", answer: { kind: "unknown-case" } } : { kind: "form", form }
    },
    askReview: async ({ target: { caseId } }) => {
      working()
      const model = known.get(caseId)
      if (flow.refusal !== null) return { kind: "answer", answer: flow.refusal }
      return model === undefined ? { kind: "answer", answer: { kind: "unknown-case" } } : { kind: "form", model }
    },
    questionForm: async ({ target: { caseId }, verb }) => {
      working()
      const model = known.get(caseId)
      if (flow.refusal !== null) return { kind: "answer", answer: flow.refusal }
      if (model === undefined) return { kind: "answer", answer: { kind: "unknown-case" } }
      return { kind: "form", model, to: "requester", question: verb === "ask" ? null : aQuestion() }
    },
    drop: async ({ ticket }) => void flow.presses.splice(flow.presses.indexOf(ticket.interaction), 1),
    details: async (caseId, _person, route) => {
      working()
      const model = known.get(caseId)
      return model === undefined ? null : { model: { ...model, route: route ?? model.route }, ...flow.judged }
    },
    form: async (target, { verb, glass, sendBack }) => {
      working()
      const form = needed(target, verb)
      const model = known.get(target.caseId)
      if (verb === "approve" || form !== null || model === undefined) return form
      const reason = { required: flow.wants.has("reject"), choices: [] }
      const plain = {
        model: { ...model, route: target.route },
        inputs: { fields: [], result: [] },
        reason,
        earlier: null,
      }
      if (sendBack === undefined || model.approval === null || glass !== undefined) return plain
      return { ...plain, sendBack: { calls: editableCalls(model.approval, model.look.mask), unheard: null } }
    },
    reveal: async () => {
      working()
      return true
    },
    openedHome: async () => working(),
    deleted: async (caseId, place) => {
      working()
      flow.deletions.push({ caseId, place })
    },
    channelChanged: async (channel) => {
      working()
      flow.changedChannels.push(channel)
    },
    opened: async (view) => {
      working()
      flow.opens.push(view)
    },
    view: async (viewId) => {
      working()
      return flow.opens.findLast((one) => one.viewId === viewId) ?? null
    },
    list: async (_person, ask) => {
      flow.asks.push(ask)
      working()
      return listing(ask)
    },
    history: async (_person, ask) => {
      flow.pastAsks.push(ask)
      working()
      return listing(ask)
    },
    receipt: async (ask) => {
      flow.receiptAsks.push(ask)
      working()
      return flow.receiptShown
    },
    review: async (route, _person, after) => {
      working()
      const all = [...known.values()]
      const at = all.findIndex((model) => model.caseId === after) + 1
      const model = all[at]
      return model === undefined
        ? null
        : { details: { model: { ...model, route }, ...flow.judged }, left: all.length - at - 1 }
    },
    why: async (caseId) => {
      working()
      const model = known.get(caseId)
      return model === undefined ? null : { details: { model, ...flow.judged }, rules: flow.rules }
    },
  }
  return flow
}

/** Slack in a sandbox. */
export interface Module {
  readonly sandbox: Sandbox
  readonly slack: Slack
  readonly log: ReturnType<typeof aLog>
}

/** The options that production would pass, for a sandbox in this mode. */
export function optionsFor(sandbox: Sandbox, mode: Mode, more: Partial<SlackOptions> = {}): SlackOptions {
  const { app: appToken, bot: botToken, signingSecret } = sandbox.tokens
  return {
    mode: mode === "socket" ? { kind: "socket", appToken } : { kind: "http", signingSecret },
    botToken,
    apiUrl: sandbox.apiUrl,
    sandbox: true,
    installation: "main",
    instances: () => ["default"],
    timeoutMs: 2_000,
    clock: Date.now,
    random: () => 0.5,
    log: aLog(),
    alarm: () => {},
    ...more,
  }
}

/** What replicas tell each other of Slack's answers, kept in this process. */
export function aSharedAnswers(kept = new Map<string, { readonly at: number; readonly value: Json }>()): SharedAnswers {
  return { read: async (name) => kept.get(name) ?? null, keep: async (name, answer) => void kept.set(name, answer) }
}

/** A module without listeners. */
export async function aSlackModule(mode: Mode = "socket", more: Partial<SlackOptions> = {}): Promise<Module> {
  const sandbox = await aSandbox(mode)
  const log = aLog()
  const slack = await createSlack(optionsFor(sandbox, mode, { log, ...more }))
  onTestFinished(() => slack.close().then(() => slack.disconnect()))
  return { sandbox, slack, log }
}

/** Serves a listener as the bot's own server does. */
export async function served(listener: NonNullable<Slack["listener"]>): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

/** A module whose listeners reach `flow`, connected. */
export async function anOpenSlackModule(mode: Mode, flow: Inbound, more: Partial<SlackOptions> = {}): Promise<Module> {
  const module = await aSlackModule(mode, more)
  module.slack.listen(flow)
  await module.slack.start()
  if (module.slack.listener !== undefined)
    module.sandbox.deliverTo(`${await served(module.slack.listener)}/slack/events`)
  return module
}
