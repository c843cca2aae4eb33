// Ask: somebody who may decide asks whoever asked for the run, and reads the answer in thread and Details; on two
// replicas, of which one may be killed.
import { describe, expect, it, onTestFinished } from "vitest"
import { actionIds, formIds, viewIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import {
  ask,
  card,
  cards,
  decided,
  directOf,
  ledgerOf,
  press,
  type Seen,
  settled,
  threadSays,
  told,
  until,
  viewSays,
  wordsOf,
} from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { limitMs, plainRule, sandboxCast, type World } from "./world.ts"

const { alice, bob, rita, payments } = sandboxCast
const byRita = { user_id: "rita@sandbox.example" }
/** How long it may take after a restart, in ms. */
const afterMs = 60_000

/** Opens Details of the first card, and presses "Ask…" there. */
async function askForm(here: World, person: string) {
  const { channel, ts } = await card(here)
  await here.sandbox.click(person, { channel, ts }, actionIds.details)
  await viewSays(here, person, "Digest")
  await here.sandbox.click(person, here.sandbox.openView(person)?.id ?? "", actionIds.ask)
  return formOf(here, person, viewIds.ask)
}

function formOf(here: World, person: string, callback: string) {
  const look = () => {
    const view = here.sandbox.openView(person)
    return view?.definition.callback_id === callback ? view : undefined
  }
  return here.sandbox.waitFor(look, { limitMs, what: `${person}'s form ${callback}` })
}

async function asks(here: World, person: string, question: string) {
  const form = await askForm(here, person)
  return here.sandbox.submit(person, form.id, { [formIds.reason]: question })
}

/** The message that asks, in a channel or directly, once its place is noted: then it can be answered. */
async function question(here: World, channel: string, words: string, ms = limitMs): Promise<Seen> {
  return until(
    `a question with "${words}"`,
    () => cards(here, words, channel).find(({ buttons }) => buttons.includes(actionIds.answer)),
    ms,
  )
}

/** Presses "Answer…" until the form opens: a press before the message's place is noted is told to come again. */
async function answerForm(here: World, person: string, on: Seen) {
  return until("the form of the answer", async () => {
    const before = here.sandbox.openView(person)?.id
    await here.sandbox.click(person, { channel: on.channel, ts: on.ts }, actionIds.answer)
    const view = await until("a view that says something", () => {
      const open = here.sandbox.openView(person)
      return open === undefined || open.id === before || wordsOf(open.definition.blocks).includes("Loading")
        ? undefined
        : open
    })
    return view.definition.callback_id === viewIds.answer ? view : undefined
  })
}

async function answers(here: World, person: string, on: Seen, answer: string) {
  const form = await answerForm(here, person, on)
  return here.sandbox.submit(person, form.id, { [formIds.reason]: answer })
}

describe.each(["socket", "http"] as const)("in %s mode", (mode) => {
  it("whoever asked for the run answers, and thread, Details, ledger and the asker have it; nobody voted", async () => {
    const here = await aWorld({ mode })
    await here.start()
    const row = await ask(here, byRita)

    await asks(here, alice, "Why <@U0BOB>\nthis customer?")
    await viewSays(here, alice, "Your question is sent to whoever asked for this")
    const open = await card(here)
    await threadSays(here, open, "“Why <@U0BOB>⟨U+000A⟩this customer?”")
    const asked = await question(here, directOf(here, rita), "this customer?")
    expect(asked.words).toContain("has a question about this")
    await answers(here, rita, asked, "She asked for it.")

    await told(here, rita, "your answer is kept")
    await until("alice to be told", () => cards(here, "She asked for it.", directOf(here, alice))[0])
    await threadSays(here, open, "named by the platform as the requester, answers")
    await until("the message to show it", () => cards(here, "She asked for it.", directOf(here, rita))[0])
    expect(cards(here, "this customer?", directOf(here, rita))[0]?.buttons).toEqual([])
    await here.sandbox.click(bob, { channel: open.channel, ts: open.ts }, actionIds.details)
    const details = await viewSays(here, bob, "Asked and answered")
    expect(details).toContain("She asked for it.")
    const kinds = (await ledgerOf(here)).map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(["asked", "answered"]))
    expect(kinds).not.toContain("voted")
    await press(here, alice, open, "approve")
    const { resolution_data: data, status } = await decided(here, row.id)
    expect(status).toBe("approved")
    expect(JSON.stringify(data)).not.toContain("asked for it")
  })

  it("where nobody knows who asked, it goes to those whom the rule lists; the second answer is told of the first", async () => {
    const here = await aWorld({ mode, rules: `${plainRule}\n    ask: [${payments}]` })
    await here.start()
    await ask(here, { user_id: "sa:nightly" })

    await asks(here, alice, "Which job is this?")
    const asked = await question(here, payments, "Which job is this?")
    const first = await answerForm(here, bob, asked)
    const second = await answerForm(here, alice, asked)
    await here.sandbox.submit(bob, first.id, { [formIds.reason]: "The nightly one." })
    await told(here, bob, "your answer is kept")
    await here.sandbox.submit(alice, second.id, { [formIds.reason]: "No idea." })

    expect(await told(here, alice, "is answered already")).toMatch(/The nightly one\.[^]*You wrote: “No idea\.”/)
    expect((await ledgerOf(here)).filter(({ kind }) => kind === "answered")).toHaveLength(1)
  })

  it("is not offered to whoever asked, nor where nobody can be asked", async () => {
    const here = await aWorld({ mode })
    await ask(here, byRita)
    const { channel, ts } = await card(here)
    await here.sandbox.click(rita, { channel, ts }, actionIds.details)
    await viewSays(here, rita, "Digest")
    expect(JSON.stringify(here.sandbox.openView(rita)?.definition.blocks)).not.toContain(actionIds.ask)

    await ask(here, { user_id: "nobody@elsewhere.example", tool_name: "refund" })
    const other = await card(here, "refund")
    await here.sandbox.click(alice, { channel, ts: other.ts }, actionIds.details)
    await viewSays(here, alice, "refund")
    expect(JSON.stringify(here.sandbox.openView(alice)?.definition.blocks)).not.toContain(`"${actionIds.ask}"`)
  })

  it("says in the form what is wrong with a text, and gives back what came too late", async () => {
    const here = await aWorld({ mode })
    await ask(here, byRita)
    const form = await askForm(here, alice)

    const [empty, nothing] = [
      await here.sandbox.submit(alice, form.id, { [formIds.reason]: "\u200b \u2060" }),
      await here.sandbox.submit(alice, form.id, { [formIds.reason]: "a\0b" }),
    ]
    await press(here, bob, await card(here), "approve")
    await settled(here, "Approved")
    await here.sandbox.submit(alice, form.id, { [formIds.reason]: "Why?" })

    expect(JSON.stringify(empty)).toContain("Please write something that people can see.")
    expect(JSON.stringify(nothing)).toContain("This holds a null character")
    expect(await viewSays(here, alice, "Nobody decides this any more")).toContain("Why?")
    expect((await ledgerOf(here)).map(({ kind }) => kind)).not.toContain("asked")
  })
})

it.each(["socket", "http"] as const)(
  "in %s mode a bot that is killed after the ack asks after its restart, once",
  async (mode) => {
    const { here, start } = await aWorldOfProcesses({ mode, timeoutMs: 30_000 }, onTestFinished)
    const bot = await start()
    await ask(here, byRita)
    const form = await askForm(here, alice)
    here.sandbox.faults.web("conversations.open", { kind: "never_answer" })

    await here.sandbox.submit(alice, form.id, { [formIds.reason]: "Why this customer?" })
    await until("the question to be noted", async () =>
      (await ledgerOf(here)).some(({ kind }) => kind === "asked") ? true : undefined,
    )
    await kill(bot)
    here.sandbox.faults.clear()
    await start()

    const asked = await question(here, directOf(here, rita), "Why this customer?", afterMs)
    await answers(here, rita, asked, "She asked for it.")
    await until("alice to be told", () => cards(here, "She asked for it.", directOf(here, alice))[0], afterMs)
    expect(cards(here, "Why this customer?", directOf(here, rita))).toHaveLength(1)
    const kinds = (await ledgerOf(here)).map(({ kind }) => kind)
    for (const once of ["asked", "answered"]) expect(kinds.filter((kind) => kind === once)).toEqual([once])
  },
)
