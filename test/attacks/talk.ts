// What people and agents say to each other in a seed: a call is sent back and asked anew, asked about, or rejected for
// a while. Tells each to the oracle.
import { DatabaseSync } from "node:sqlite"
import { caseIdOf } from "../../src/domain/case/case.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import type { ScriptInput } from "../../src/service/components/script.ts"
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import { has, targetIn, targetOn } from "../faults/screen.ts"
import { wordsOf } from "../slack/sight.ts"
import type { Watched } from "./people.ts"
import type { Act, Schedule } from "./schedule.ts"
import { cardOf, formFromDetails, formOf, heard, heardBy, pick, waitFor } from "./screen.ts"
import { emailOf, idOf, lastingMs, nameOfEmail } from "./settings.ts"
import type { Asked, Stage } from "./stage.ts"

type Of<Kind extends Act["kind"]> = Extract<Act, { kind: Kind }>

/** Acts of this kind. */
export type TalkAct = Of<"run" | "send back" | "reject" | "ask again" | "question" | "answer">

const tool = "task_0"

/** What the agent of a schedule does in its runs. */
export function scriptOf({ acts }: Schedule): ScriptInput {
  const runs = acts.flatMap((act) => {
    if (act.kind !== "run") return []
    const turns = act.calls.map(({ version, amount }) => [{ tool, args: { target: `T0-v${version}`, amount } }])
    return [{ name: act.name, turns, answer: "Done." }]
  })
  return { agents: [{ id: "agent", tools: [{ name: tool, gated: true }], runs }] }
}

/** Does one of these acts, and waits for what the agent asks then. */
export async function talk(watched: Watched, one: TalkAct): Promise<void> {
  await say(watched, one)
  await hearAgent(watched)
}

function say(watched: Watched, one: TalkAct): Promise<void> {
  switch (one.kind) {
    case "run":
      return run(watched.stage, one)
    case "send back":
      return sendBack(watched, one)
    case "reject":
      return reject(watched, one)
    case "ask again":
      return askAgain(watched, one)
    case "question":
      return question(watched.stage, one)
    case "answer":
      return answer(watched.stage, one)
  }
}

/** Takes in what was asked for since: at each act, and before a verdict is judged. Returns how much that is. */
export function takeIn({ stage, oracle, talk: told }: Pick<Watched, "stage" | "oracle" | "talk">): number {
  if (!stage.schedule.talks) return 0
  const rows = new DatabaseSync(stage.platformFile, { readOnly: true })
  const all = rows.prepare("SELECT id, run_id, tool_args, user_id, created_at FROM approvals ORDER BY seq").all()
  rows.close()
  const fresh = all.filter(({ id }) => !stage.asked.some((one) => one.id === id))
  for (const row of fresh) {
    const id = String(row["id"])
    const values = JSON.parse(String(row["tool_args"]))
    // The platform's times are whole seconds.
    const at = Number(row["created_at"]) * 1_000
    const user = row["user_id"]
    stage.asked.push({ tool, id, caseId: caseIdOf(stage.installation, "main", id), contents: [values.target] })
    const requester = typeof user === "string" ? idOf[nameOfEmail(user)] : null
    told.asked(id, { run: String(row["run_id"]), requester, values }, at)
    oracle.asked(id, values.target, at)
    stage.timeline.note("agent", `asks for ${JSON.stringify(values)} in ${String(row["run_id"])}: ${id}`)
  }
  return fresh.length
}

/** So long it may take until an agent goes on, and until people see what it asks for, in ms of simulated time. */
const nextMs = 6_000

/** Waits until the agent asks for nothing more, and until people see what it asked for. */
async function hearAgent(watched: Watched): Promise<void> {
  const { stage, oracle, talk: told } = watched
  const { clock } = stage.ground
  for (;;) {
    const more = await waitFor(stage, () => (takeIn(watched) > 0 ? true : undefined), nextMs)
    const newest = stage.asked.at(-1)
    if (more === null || newest === undefined) return
    const isOver = () => (stage.platform.waits(newest.id) ? undefined : true)
    const seen = await waitFor(stage, () => cardOf(stage, newest) ?? isOver(), nextMs)
    if (seen === null || seen === true) continue
    // Who presses before the bot has noted where the card hangs is judged later.
    await waitFor(stage, () => (stage.placed.has(newest.caseId) ? true : undefined))
    stage.screens.set(newest.id, seen)
    told.shown(newest.id, clock.now())
    oracle.shown(newest.id, clock.now(), null)
  }
}

async function run({ platform, timeline }: Stage, { by, name }: Of<"run">): Promise<void> {
  timeline.note("program", `begins ${name} for ${by ?? "nobody"}`)
  await platform.ask(name, "", by === null ? null : emailOf(by))
}

/** The newest call, if it waits, with its card. */
function waiting(stage: Stage): { readonly asked: Asked } | null {
  const asked = pick(stage, 0)
  return asked === undefined || !stage.platform.waits(asked.id) ? null : { asked }
}

async function sendBack(watched: Watched, one: Of<"send back">): Promise<void> {
  const { stage, oracle, talk: told } = watched
  const { sandbox, timeline, ground } = stage
  const { asked } = waiting(stage) ?? {}
  if (asked === undefined) return
  const person = idOf[one.person]
  const opened = await formFromDetails(stage, person, asked, { action: actionIds.sendBack, form: viewIds.form })
  if (opened === null) return timeline.note(one.person, `is not offered to send ${asked.tool} back`)
  const { version, amount } = one.instead
  const target = version === undefined ? {} : { target: `T0-v${version}` }
  const values = { ...target, ...(amount === undefined ? {} : { amount }) }
  const fields = [
    ...Object.entries(target).map(([, value]) => ["field_0_0", value]),
    ...(amount === undefined ? [] : [["field_0_1", String(amount)]]),
  ]
  const shown = targetIn(opened.details.definition.blocks)
  told.sendsBack(asked.id, { person, values })
  const carriedOut = oracle.pressed(asked.id, { person, verb: "reject", shown }, ground.clock.now())
  const before = heardBy(stage, person)
  await sandbox.submit(person, opened.form.id, { ...Object.fromEntries(fields), [formIds.reason]: "not so" })
  timeline.note(one.person, `sends ${shown} back and proposes ${JSON.stringify(values)}`)
  await heard(stage, person, { before, carriedOut })
}

async function reject(watched: Watched, one: Of<"reject">): Promise<void> {
  const { stage, oracle, talk: told } = watched
  const { sandbox, timeline, ground } = stage
  const { asked } = waiting(stage) ?? {}
  const card = asked === undefined ? null : await waitFor(stage, () => cardOf(stage, asked))
  if (asked === undefined || card === null) return
  const person = idOf[one.person]
  await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.reject)
  const form = await waitFor(stage, () => formOf(stage, person, viewIds.form), nextMs)
  if (form === null) return timeline.note(one.person, `gets no form to reject ${asked.tool}`)
  const at = ground.clock.now()
  const shown = targetOn(card)
  const lasts = one.lasting ? told.rejectsFor(asked.id, lastingMs, at) : null
  const carriedOut = oracle.pressed(asked.id, { person, verb: "reject", shown }, at)
  const before = heardBy(stage, person)
  const tick = one.lasting ? { [formIds.lasting]: ["lasting"] } : {}
  await sandbox.submit(person, form.id, { [formIds.reason]: "no", ...tick })
  timeline.note(one.person, `rejects ${shown}${one.lasting ? ", and the same call for a while" : ""}`)
  const done = (moment: number) => {
    carriedOut(moment)
    lasts?.(moment)
  }
  await heard(stage, person, { before, carriedOut: done })
}

async function askAgain({ stage, talk: told }: Watched, one: Of<"ask again">): Promise<void> {
  const { sandbox, timeline, ground } = stage
  const offer = () => sandbox.messages(sandboxCast.approvals).findLast(({ blocks }) => has(blocks, actionIds.askAgain))
  const card = await waitFor(stage, offer)
  const asked = stage.asked.find(({ caseId }) => JSON.stringify(card?.blocks ?? []).includes(caseId))
  if (card === null || asked === undefined) return timeline.note(one.person, "is not offered Ask Me Again")
  const person = idOf[one.person]
  const said = () =>
    sandbox.ephemerals(person).filter(({ text, blocks }) => {
      return `${text} ${wordsOf(blocks)}`.includes("people are asked about this call again")
    }).length
  const before = said()
  await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds.askAgain)
  const ended = await waitFor(stage, () => (said() > before ? true : undefined))
  if (ended !== null) told.asksAgain(asked.id, ground.clock.now())
  timeline.note(one.person, `presses Ask Me Again: ${ended === null ? "not told" : "told"}`)
}

async function question(stage: Stage, one: Of<"question">): Promise<void> {
  const { sandbox, timeline } = stage
  const { asked } = waiting(stage) ?? {}
  if (asked === undefined) return
  const person = idOf[one.person]
  const opened = await formFromDetails(stage, person, asked, { action: actionIds.ask, form: viewIds.ask })
  if (opened === null) return timeline.note(one.person, `is not offered to ask about ${asked.tool}`)
  await sandbox.submit(person, opened.form.id, { [formIds.reason]: "Why this?" })
  const says = () => wordsOf(sandbox.openView(person)?.definition.blocks)
  const told = await waitFor(stage, () => (says().includes("question is sent") ? true : undefined))
  timeline.note(one.person, `asks about ${asked.tool}: ${told === null ? "hears nothing" : "told"}`)
}

async function answer(stage: Stage, one: Of<"answer">): Promise<void> {
  const { sandbox, timeline } = stage
  const person = idOf[one.person]
  const account = sandbox.workspace.people.get(person)
  if (account === undefined) return
  const { id: channel } = sandbox.workspace.directChannel(account)
  const message = await waitFor(stage, () => {
    return sandbox.messages(channel).findLast(({ blocks }) => has(blocks, actionIds.answer))
  })
  if (message === null) return timeline.note(one.person, "finds no question")
  await sandbox.click(person, { channel, ts: message.ts }, actionIds.answer)
  const form = await waitFor(stage, () => formOf(stage, person, viewIds.answer), nextMs)
  if (form === null) return timeline.note(one.person, "gets no form to answer")
  await sandbox.submit(person, form.id, { [formIds.reason]: "Because." })
  const kept = () => sandbox.messages(channel).find(({ ts }) => ts === message.ts)?.blocks
  const told = await waitFor(stage, () => (has(kept(), actionIds.answer) ? undefined : true))
  timeline.note(one.person, `answers: ${told === null ? "hears nothing" : "kept"}`)
}
