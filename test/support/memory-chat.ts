// Slack's messages in memory: which message hangs where, and a script of faults.

import type { CardModel } from "../../src/domain/case/card-model.ts"
import type { Place } from "../../src/domain/case/case.ts"
import type { CaseEvent } from "../../src/domain/case/event.ts"
import type { Home } from "../../src/flow/ports/inbound.ts"
import type { ReplyTo } from "../../src/flow/ports/interaction.ts"
import type { Answer } from "../../src/flow/ports/reply.ts"
import type {
  AbsenceNews,
  Chat,
  Clock,
  Edited,
  Lines,
  Pace,
  ReopenedView,
  RunAnswer,
  SummaryModel,
} from "../../src/flow/ports.ts"
import { isLimited } from "../../src/slack/transport/rate-limits.ts"
import { createMemoryEdits, editedAs, type MemoryEdits } from "./memory-edits.ts"
import { createMemoryQuestions, type MemoryQuestions } from "./memory-questions.ts"
import { chatFailure, type PortFailure } from "./port-failure.ts"

/** A message with a card, and the lines of its thread. */
export interface Message {
  readonly place: Place
  readonly postedAt: number
  model: CardModel
  deleted: boolean
  readonly lines: { readonly number: number; readonly event: CaseEvent; readonly answer?: RunAnswer }[]
}

/** A message that sums up, and the lines of its thread. */
export interface SummaryMessage {
  readonly place: Place
  readonly postedAt: number
  model: SummaryModel
  deleted: boolean
  edits: number
  readonly lines: { readonly caseId: string; readonly number: number; readonly event: CaseEvent }[]
}

/** What was told in a thread that is not ours. */
export interface ThreadLine {
  readonly place: Place
  readonly caseId: string
  readonly first: number
  readonly due: number
  readonly status: string
}

/** What becomes of one call that writes to a channel. */
type WriteFault =
  | { readonly kind: "limited"; readonly retryAfterMs: number; readonly method?: string }
  | { readonly kind: "unheard"; readonly accepted: boolean }
  | { readonly kind: "refused"; readonly slackCode: string }

/** Something that a person was told privately. */
export interface Told {
  readonly to: ReplyTo
  readonly answer: Answer
  readonly again?: ReopenedView
}

/** The chat, and what a test may do to it. */
export interface MemoryChat extends Chat, MemoryQuestions, Pick<MemoryEdits, "freeze"> {
  readonly messages: readonly Message[]
  readonly summaries: readonly SummaryMessage[]
  readonly threads: readonly ThreadLine[]
  /** The app is no member of a channel. */
  leave(channel: string): void
  /** How often a card was edited by the Web API. */
  readonly edits: number
  readonly told: readonly Told[]
  /** Where people were told of stops. */
  readonly stopsTold: readonly { readonly route: string; readonly stop: string }[]
  /** Who was told of which absences. */
  readonly absencesTold: readonly ({ readonly to: string } & AbsenceNews)[]
  /** The next writes to a channel meet these faults, one each. */
  fail(channel: string, ...faults: readonly WriteFault[]): void
  /** The next searches fail. Default: Slack does not answer. */
  failSearch(times: number, failure?: PortFailure): void
  /** Deletes a message past the app. */
  delete(place: Place): void
  /** Clicks on this message answer by this response_url; `expire` makes Slack refuse it. */
  responseUrl(place: Place): string
  expire(responseUrl: string): void
  /** Takes away the right to read the history. */
  blind(): void
  /** People cannot act in a channel any more, and why; null: they can again. */
  shut(channel: string, why: string | null): void
  /**
   * Another company reads a channel too, or not any more; what hangs there is covered at the next edit, and `covers`
   * counts that.
   */
  share(channel: string, shared: boolean): void
  readonly covers: number
  coversOf(place: Place): number
  /** A message of a thread holds so many lines at most, and none that were not made shorter so many times. */
  narrow(limits: { readonly lines: number; readonly shorter: number }): void
}

/**
 * Makes a workspace without messages. As in Slack's adapter, a 429 on another method than that of posts holds this
 * method.
 */
export function createMemoryChat(clock: Clock, pace: Pick<Pace, "hold">): MemoryChat {
  const messages: Message[] = []
  const stopsTold: { readonly route: string; readonly stop: string }[] = []
  const absencesTold: ({ readonly to: string } & AbsenceNews)[] = []
  const summaries: SummaryMessage[] = []
  const threads: ThreadLine[] = []
  const left = new Set<string>()
  const told: Told[] = []
  const faults = new Map<string, WriteFault[]>()
  const urls = new Map<string, Place>()
  const shut = new Map<string, string>()
  const shared = new Set<string>()
  const covered: Place[] = []
  const edits = createMemoryEdits()
  const state = {
    blind: false,
    failSearch: 0,
    searchFailure: chatFailure("timeout"),
    edits: 0,
    lines: Number.POSITIVE_INFINITY,
    shorter: 0,
  }
  const at = (place: Place): Message | undefined =>
    messages.find((one) => one.place.channel === place.channel && one.place.ts === place.ts && !one.deleted)
  const summaryAt = (place: Place): SummaryMessage | undefined =>
    summaries.find((one) => one.place.channel === place.channel && one.place.ts === place.ts && !one.deleted)
  const write = async <T>(channel: string, act: () => T): Promise<T> => {
    const fault = faults.get(channel)?.shift()
    if (fault?.kind === "limited") {
      const { method = "chat.postMessage", retryAfterMs } = fault
      if (isLimited(method) && method !== "chat.postMessage") await pace.hold(method, retryAfterMs)
      throw chatFailure("ratelimited", fault)
    }
    if (fault?.kind === "refused") throw chatFailure(fault.slackCode, { retryable: false })
    if (shared.has(channel)) throw chatFailure("shared-channel", { retryable: false })
    if (fault?.kind !== "unheard") return act()
    if (fault.accepted) act()
    throw chatFailure("timeout")
  }
  const edit = (place: Place, message: object | undefined, show: () => void): Promise<Edited> => {
    const word = message === undefined ? "message_not_found" : edits.wordOn(place)
    return editedAs(shared.has(place.channel) ? null : word, () => write(place.channel, show))
  }
  const search = (): void => {
    if (state.failSearch === 0) return
    state.failSearch -= 1
    throw state.searchFailure
  }
  const tellIn = (place: Place, lines: Lines, keep: (line: NumberedLine) => void): Promise<number> =>
    write(place.channel, () => {
      if ((lines.shorter ?? 0) < state.shorter) return 0
      const told = numbered(lines).slice(0, state.lines)
      for (const line of told) keep(line)
      return told.length
    })
  const homes = new Map<string, Home>()
  return {
    ...createMemoryQuestions({ clock, channelOf, write }),
    postCard: async (model) =>
      write(channelOf(model.route), () => {
        const place = { channel: channelOf(model.route), ts: `${Math.floor(clock() / 1_000)}.${messages.length}` }
        messages.push({ place, postedAt: clock(), model, deleted: false, lines: [] })
        return place
      }),
    updateCard: async (place, model) => {
      if (shared.has(place.channel)) covered.push(place)
      const message = at(place)
      return edit(place, message, () => {
        if (message !== undefined) message.model = model
        state.edits += 1
      })
    },
    linkTo: async (place) => (at(place) === undefined ? null : `https://slack.example/${place.channel}/${place.ts}`),
    look: async (place) => {
      search()
      const why = shut.get(place.channel)
      if (why !== undefined) return { kind: "shut", why }
      if (at(place) !== undefined && shared.has(place.channel)) return { kind: "exposed" }
      if (state.blind) return { kind: "unknown" }
      return { kind: at(place) === undefined ? "gone" : "there" }
    },
    exposed: async (route) => shared.has(channelOf(route)),
    stopsTold,
    tellStop: async (route, stop) => {
      if (shared.has(channelOf(route))) throw chatFailure("shared-channel", { retryable: false })
      stopsTold.push({ route, stop: stop.id })
    },
    absencesTold,
    tellAbsence: (to, news) => write(to, () => void absencesTold.push({ to, ...news })),
    postSummary: async (model) =>
      write(channelOf(model.route), () => {
        const place = { channel: channelOf(model.route), ts: `${Math.floor(clock() / 1_000)}.s${summaries.length}` }
        summaries.push({ place, postedAt: clock(), model, deleted: false, edits: 0, lines: [] })
        return place
      }),
    updateSummary: async (place, model) => {
      if (shared.has(place.channel)) covered.push(place)
      const message = summaryAt(place)
      return edit(place, message, () => {
        if (message !== undefined) Object.assign(message, { model, edits: message.edits + 1 })
      })
    },
    findSummary: async (model, since) => {
      search()
      const found = summaries.findLast((one) => !one.deleted && isSame(one.model, model) && one.postedAt >= since)
      return state.blind ? null : (found?.place ?? null)
    },
    lookAtThread: async ({ channel, ts }) => ({
      link: `https://slack.example/${channel}/${ts}`,
      open: !left.has(channel) && !shared.has(channel),
    }),
    tellThread: (place, { caseId, status }, lines) =>
      write(place.channel, () => void threads.push({ place, caseId, ...lines, status: status.kind })),
    tellOnSummary: (place, { caseId }, lines) =>
      tellIn(place, lines, (line) => summaryAt(place)?.lines.push({ caseId, ...line })),
    publishHome: async (user, home) => void homes.set(user, home),
    tell: (place, _face, lines) => {
      if (shared.has(place.channel)) covered.push(place)
      return tellIn(place, lines, (line) => at(place)?.lines.push(line))
    },
    findCard: async (model, since) => {
      search()
      if (state.blind) return "unseen"
      const found = messages.findLast((one) => !one.deleted && isCardOf(one, model) && one.postedAt >= since)
      return found?.place ?? null
    },
    countLines: async (place, model) => {
      search()
      const own = threads.filter((one) => one.place.ts === place.ts && one.caseId === model.caseId)
      if (own.length > 0) return state.blind ? null : Math.max(...own.map(({ due }) => due))
      const named = summaryAt(place)?.lines.filter((line) => line.caseId === model.caseId)
      return state.blind ? null : (named?.length ?? at(place)?.lines.length ?? 0)
    },
    settleClicked: async (responseUrl, model) => {
      const place = urls.get(responseUrl)
      const message = place === undefined ? undefined : at(place)
      if (message === undefined || shared.has(message.place.channel)) return "refused"
      message.model = model
      return "taken"
    },
    answer: async (to, answer, again) => void told.push({ to, answer, ...(again === undefined ? {} : { again }) }),
    messages,
    summaries,
    threads,
    leave: (channel) => void left.add(channel),
    share: (channel, yes) => void (yes ? shared.add(channel) : shared.delete(channel)),
    get covers() {
      return covered.length
    },
    coversOf: (place) => covered.filter(({ ts }) => ts === place.ts).length,
    get edits() {
      return state.edits
    },
    told,
    fail: (channel, ...more) => void faults.set(channel, [...(faults.get(channel) ?? []), ...more]),
    failSearch: (times, failure = chatFailure("timeout")) => {
      state.failSearch = times
      state.searchFailure = failure
    },
    freeze: (place, word) => edits.freeze(place, word),
    delete: (place) => {
      const message = at(place)
      if (message !== undefined) message.deleted = true
      const summary = summaryAt(place)
      if (summary !== undefined) summary.deleted = true
    },
    responseUrl: (place) => {
      const url = `https://hooks.slack.com/actions/${place.channel}/${place.ts}/${urls.size}`
      urls.set(url, place)
      return url
    },
    expire: (responseUrl) => void urls.delete(responseUrl),
    shut: (channel, why) => void (why === null ? shut.delete(channel) : shut.set(channel, why)),
    blind: () => {
      state.blind = true
    },
    narrow: (limits) => void Object.assign(state, limits),
  }
}

/** `channel:C1` hangs in C1, `person:U1` in the direct messages with U1. */
function channelOf(route: string): string {
  const [kind, id = ""] = route.split(":")
  return kind === "channel" ? id : `D${id}`
}

function isCardOf(message: Message, model: CardModel): boolean {
  return message.model.caseId === model.caseId && message.model.route === model.route
}

/** As its metadata tells. */
function isSame(one: SummaryModel, other: SummaryModel): boolean {
  return one.id === other.id && one.route === other.route && one.installation === other.installation
}

type NumberedLine = Message["lines"][number]

function numbered({ first, events, answer }: Lines): readonly NumberedLine[] {
  return events.map((event, index) => {
    const line = { number: first + index, event }
    return answer === undefined || event.kind !== "run-ended" ? line : { ...line, answer }
  })
}
