// Checks what must hold of calls that are sent back, of questions, and of rejections that last. Returns one sentence
// for each breach.
import { isDeepStrictEqual } from "node:util"
import { isVoteKind } from "../../src/domain/case/event.ts"
import type { Counterproposal } from "../../src/domain/send-back/counterproposal.ts"
import { metadataTypes } from "../../src/slack/ids.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Look, SeenCase, Told } from "./look.ts"
import { isLive, saysOf } from "./screen.ts"
import type { Said } from "./talks.ts"
import { strayPosts } from "./tolerances.ts"

/** Every breach. */
export function talkBreaches(look: Look): readonly string[] {
  return look.cases.flatMap((one) =>
    [
      ...proposalBreaches(look, one),
      ...comparedBreaches(look, one),
      ...shownBreaches(look, one),
      ...proposerBreaches(look, one),
      ...saidBreaches(look, one),
      ...answerBreaches(look, one),
      ...repeatBreaches(look, one),
      ...loopBreaches(look, one),
    ].map((breach) => `${one.asked.tool}: ${breach}`),
  )
}

/** True if the platform says that it was rejected by itself (R22). */
export function isRepeated({ row }: Pick<SeenCase, "row">): boolean {
  return row.resolved_by === "countersign:again"
}

/**
 * True if nobody is asked: it was rejected by itself, or asked in a loop, so that its run stands still (R22). What
 * Redis lost of the former is opened as any other, before the platform says how it ended (R17).
 */
export function isSilent(seen: Pick<SeenCase, "row" | "entries">): boolean {
  const { row, entries } = seen
  const kinds = ["looping", "asks-again", "revised", "renewed", "placed"]
  const left = entries.findLast(({ kind }) => kinds.includes(kind))?.kind === "looping"
  const known = !entries.some(({ kind }) => kind === "recovered")
  return (isRepeated(seen) && known) || (row.status === "pending" && left)
}

function saidIn({ said }: Look, { asked }: SeenCase, kind: Said["kind"]): readonly Said[] {
  return said.filter((one) => one.asked === asked && one.kind === kind)
}

/** What came to the platform is what the voter typed, and only a rejection brings it. */
function proposalBreaches(look: Look, seen: SeenCase): readonly string[] {
  const { row, posts, mark, asked, entries } = seen
  const bodies = posts.filter((body) => body.includes("decision_id")).map((body) => JSON.parse(body))
  const typed = saidIn(look, seen, "send-back").map(({ person, text }) => ({ person, text }))
  const isTyped = (proposal: Counterproposal, slack: string) =>
    typed.some(({ person, text }) => {
      const call = { tool: asked.tool, choice: "changed", args: { target: text } }
      const calls = proposal.calls.map(({ call: _id, ...rest }) => rest)
      return slack.endsWith(`:${person}`) && isDeepStrictEqual(calls, [call])
    })
  const wrong = [...bodies, { status: row.status, resolution_data: row.resolution_data }].flatMap(
    ({ status, resolution_data: data }) => {
      if (data?.proposal === undefined) return []
      const slack = String(data.countersign?.approvers.at(-1)?.slack)
      return status === "rejected" && isTyped(data.proposal, slack)
        ? []
        : [`it was ${status} with a proposal that ${slack} never sent: ${JSON.stringify(data.proposal)}`]
    },
  )
  const decided = entries.find(({ kind, event }) => kind === "decided" && event["decision"] === mark?.decision_id)
  const last = entries.findLast(({ kind, number }) => isVoteKind(kind) && number < (decided?.number ?? 0))
  const left = last?.event["sentBack"] === true && mark !== null && row.resolution_data?.proposal === undefined
  return [...new Set(wrong), ...(left ? ["it was sent back, and the platform has no proposal"] : [])]
}

/** One call at most is compared with a proposal; and one is, if it came after the proposal and Redis lost nothing. */
function comparedBreaches({ entries, cases, lost }: Look, { asked, row, caseId, entries: own }: SeenCase) {
  if (row.resolution_data?.proposal === undefined) return []
  const compared = entries.filter(({ kind, event }) => kind === "counterproposal-answered" && event["case"] === caseId)
  if (compared.length > 1) return [`${compared.length} calls were compared with what was proposed once`]
  const resolved = own.find(({ kind }) => kind === "resolved")?.number ?? Number.POSITIVE_INFINITY
  const next = cases.filter(
    (one) => one.asked.follows === asked && one.row.run_id === row.run_id && openedAt(one) > resolved,
  )
  const missed = compared.length === 0 && next.length > 0 && lost.length === 0
  return missed ? [`none of ${next.length} calls was compared with what was proposed`] : []
}

function openedAt({ entries }: SeenCase): number {
  return entries.find(({ kind }) => kind === "opened")?.number ?? 0
}

/** A card that can be pressed shows the comparison if there is one; its thread names who proposed, once. */
function shownBreaches(look: Look, { row, entries, cards }: SeenCase): readonly string[] {
  const wanted = entries.filter(({ kind }) => kind === "counterproposal-answered").length
  const live = row.status === "pending" ? cards.filter(({ message }) => isLive(message)) : []
  const shown = live.map(
    ({ message }) => wordsOf(message.blocks).split(/proposed (?:these|other) arguments/).length - 1,
  )
  const lines = inChannels(cards).map((thread) => countIn(thread, "This answers what"))
  return [
    ...shown.filter((count) => count !== wanted).map((count) => `its card is compared ${count} times, not ${wanted}`),
    ...lines
      .filter((count) => count > wanted + strayPosts(look))
      .map((count) => `its thread says ${count} times that it answers a proposal`),
  ]
}

/** The threads of the cards in channels that say something. */
function inChannels(cards: SeenCase["cards"]) {
  return cards
    .filter(({ message, thread }) => !message.channelId.startsWith("D") && thread.length > 0)
    .map(({ thread }) => thread)
}

function countIn(messages: readonly Parameters<typeof saysOf>[0][], words: string): number {
  return messages.filter((message) => saysOf(message).includes(words)).length
}

/** R6: whoever proposed a value is no approver of the call that has it. */
function proposerBreaches({ cases }: Look, { row, mark, entries }: SeenCase): readonly string[] {
  const answers = entries.find(({ kind }) => kind === "counterproposal-answered")?.event
  const first = cases.find(({ caseId }) => caseId === answers?.["case"])
  const proposed = first?.row.resolution_data?.proposal?.calls[0]?.args["target"]
  if (row.status !== "approved" || mark === null || proposed !== row.tool_args.target) return []
  const self = mark.approvers.filter(({ slack }) => slack === answers?.["person"])
  return self.map(({ slack }) => `${slack} approved what they proposed themselves`)
}

/** Nothing of a question or an answer goes to the platform, or counts as a vote; nobody is said to have said more. */
function saidBreaches(look: Look, seen: SeenCase): readonly string[] {
  const { posts, row, entries } = seen
  const own = [...saidIn(look, seen, "question"), ...saidIn(look, seen, "answer")]
  const told = [...posts, JSON.stringify(row.resolution_data)]
  const votes = new Set(entries.filter(({ kind }) => isVoteKind(kind)).map(({ event }) => event["interaction"]))
  const noted = entries.filter(({ kind }) => kind === "asked" || kind === "answered")
  const isSaid = ({ kind, event }: Told) =>
    own.some((one) => spoken[one.kind] === kind && String(event["person"]).endsWith(`:${one.person}`))
  return [
    ...own.filter(({ text }) => told.some((one) => one.includes(text))).map(({ text }) => `the platform reads ${text}`),
    ...noted.filter(({ event }) => votes.has(event["interaction"])).map(({ kind }) => `what was ${kind} is a vote`),
    ...noted
      .filter((one) => !isSaid(one))
      .map(({ kind, event }) => `it is ${kind} by ${String(event["person"])}, who did not`),
  ]
}

/** What the ledger calls what somebody said. */
const spoken: Readonly<Partial<Record<Said["kind"], string>>> = { question: "asked", answer: "answered" }

/**
 * A question has one answer, which stands in the thread once, and of which whoever asked hears once. The ledger knows
 * of what was said no more than by whom: what a second form says is nowhere.
 */
function answerBreaches(look: Look, seen: SeenCase): readonly string[] {
  const answers = seen.entries.filter(({ kind }) => kind === "answered")
  const questions = new Set(answers.map(({ event }) => event["question"]))
  const texts = [...new Set(saidIn(look, seen, "answer").map(({ text }) => text))]
  const heard = look.messages.filter(
    ({ channelId, metadata }) => channelId.startsWith("D") && metadata?.event_type !== metadataTypes.question,
  )
  const threads = inChannels(seen.cards)
  const inThread = (text: string) => Math.max(0, ...threads.map((thread) => countIn(thread, text)))
  const [stand, told] = [texts.map(inThread), texts.map((text) => countIn(heard, text))]
  const [mostStanding, mostTold] = [1 + strayPosts(look), 1 + repeatsOf(look)]
  return [
    ...(answers.length > questions.size ? [`${answers.length} answers were taken to ${questions.size} questions`] : []),
    ...unlike(look, stand, answers.length).map((count) => `its thread has ${count} of ${answers.length} answers`),
    ...unlike(look, told, answers.length).map((count) => `whoever asked hears ${count} of ${answers.length} answers`),
    ...stand.filter((count) => count > mostStanding).map((count) => `an answer stands in its thread ${count} times`),
    ...told.filter((count) => count > mostTold).map((count) => `whoever asked hears an answer ${count} times`),
  ]
}

/** How many texts are there at all, if that is not so many. What Redis lost may be there all the same, or not yet. */
function unlike({ lost }: Look, counts: readonly number[], wanted: number): readonly number[] {
  const there = counts.filter((count) => count > 0).length
  return there === wanted || lost.length > 0 ? [] : [there]
}

/** How often a message may be sent once more that nobody looks for: its ticket repeats what was cut off after it. */
function repeatsOf({ struck }: Look): number {
  const cuts = ["kill", "rolling", "lost-post", "slack", "redis-restart", "redis-restored", "redis-away", "stop"]
  return struck.filter(({ strike }) => cuts.includes(strike.kind)).length
}

/** R22: what was rejected by itself is the same call as one that people rejected for a while, and not too late. */
function repeatBreaches(look: Look, seen: SeenCase): readonly string[] {
  if (!isRepeated(seen)) return []
  const { asked, mark, entries } = seen
  const first = look.cases.find((one) => one.mark?.decision_id === mark?.again)
  if (first === undefined) return ["it was rejected by itself, in the name of no decision"]
  const { requester, tool, targets } = first.asked
  const isSame = tool === asked.tool && requester === asked.requester && targets[0] === asked.targets[0]
  const by = first.mark?.approvers.at(-1)?.slack
  const isMeant = saidIn(look, first, "lasting").some(({ person }) => by?.endsWith(`:${person}`) === true)
  const decided = entries.find(({ kind, event }) => kind === "decided" && event["by"] === "again")?.number ?? 0
  const ended = first.entries.find(({ kind }) => kind === "asks-again")?.number ?? Number.POSITIVE_INFINITY
  return [
    ...(isSame && isMeant && first.row.status === "rejected"
      ? []
      : ["it was rejected by itself, and nobody rejected this call for a while"]),
    ...(decided > ended ? ["it was rejected by itself after somebody wanted to be asked again"] : []),
  ]
}

/** No more than this are rejected by themselves in a run. */
const mostInRun = 3

function loopBreaches({ cases }: Look, { mark, row }: SeenCase): readonly string[] {
  const own = cases.filter((one) => isRepeated(one) && mark !== null && one.mark?.again === mark.decision_id)
  const runs = [...new Set(own.map((one) => one.row.run_id))]
  return runs.flatMap((run) => {
    const count = own.filter((one) => one.row.run_id === run).length
    return count > mostInRun && row.status === "rejected"
      ? [`${count} calls of one run were rejected by themselves`]
      : []
  })
}
