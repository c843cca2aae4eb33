// Going away and coming back in Slack, end to end in both modes: by command, by form, by End It; each answer says what
// to do.
import { describe, expect, it } from "vitest"
import type { AwayAsk, AwayOutcome, BackOutcome } from "../../../src/flow/ports.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { actionIds } from "../../../src/slack/ids.ts"
import { absenceBlocks } from "../../../src/slack/views/absence-form.ts"
import type { Mode } from "../../sandbox/support.ts"
import { limitMs } from "../../support/limits.ts"
import { anAbsence } from "../../support/orders.ts"
import { chatFailure } from "../../support/port-failure.ts"
import { wordsOf } from "../sight.ts"
import { aFlow, anOpenSlackModule } from "../slack-module.ts"

const limit = { limitMs }
const { alice, bob, rita, general } = sandboxCast
const team = "T0SANDBOX"
const absence = anAbsence({ person: `${team}:${rita}`, standIn: `${team}:${bob}`, until: Date.UTC(2099, 0, 2) })
const mayBob = { id: { team, user: bob }, name: "Bob", rules: ["payments"] }
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

/** A flow in which Bob may stand in for Rita, and what it was asked. */
function anAbsenceFlow(away: AwayOutcome = { kind: "begun", absence, rules: ["payments"] }) {
  const asks: AwayAsk[] = []
  const backs: unknown[] = []
  const flow = Object.assign(aFlow(), {
    away: async (ask: AwayAsk) => {
      asks.push(ask)
      return away
    },
    back: async (person: { readonly user: string }, id: string | null): Promise<BackOutcome> => {
      backs.push([person.user, id])
      return { kind: "ended", absence }
    },
    mayStandIn: async () => [mayBob],
  })
  return { flow, asks, backs }
}

const heard = (sandbox: Sandbox, person: string = rita) => sandbox.ephemerals(person).at(-1)
const view = (sandbox: Sandbox) => sandbox.openView(rita)

describe.each<Mode>(["socket", "http"])("in %s mode", (mode) => {
  const typed = async (line: string, given = anAbsenceFlow()) => {
    const module = await anOpenSlackModule(mode, given.flow)
    await module.sandbox.command(rita, general, line)
    return { ...given, ...module }
  }
  const answered = async (line: string, given = anAbsenceFlow()) => {
    const done = await typed(line, given)
    await done.sandbox.waitFor(() => heard(done.sandbox) !== undefined, limit)
    return { ...done, text: heard(done.sandbox)?.text ?? "" }
  }
  const inForm = async (given = anAbsenceFlow(), line = "/approvals away") => {
    const done = await typed(line, given)
    await done.sandbox.waitFor(() => "submit" in (view(done.sandbox)?.definition ?? {}), limit)
    const submit = (until: string) => {
      const chosen = { [absenceBlocks.until]: until, [absenceBlocks.standIn]: `${team}:${bob}` }
      return done.sandbox.submit(rita, view(done.sandbox)?.id ?? "", chosen)
    }
    return { ...done, submit }
  }

  it("a day and a person are read, and who stands in and until when is answered", async () => {
    const { asks, text } = await answered(`/approvals away until 2098-12-31 <@${bob}|bob>`)

    const person = { team: expect.any(String), user: rita }
    expect(asks).toEqual([{ person, standIn: { ...person, user: bob }, until: day("2098-12-31") }])
    expect(text).toContain("You are away until")
    expect(text).toContain(`<@${bob}> may vote for you, and both of you are told`)
  })

  it.each<[AwayOutcome, readonly string[]]>([
    [
      { kind: "begun", absence, rules: ["a"], alsoAway: 1 },
      ["is away, too, until", "/approvals back", "somebody else"],
    ],
    [{ kind: "away", absence }, ["You are away already until", "/approvals back"]],
    [{ kind: "refused", why: "no-time" }, ["has begun already", "Name a later one"]],
    [{ kind: "refused", why: "too-long" }, ["at most 180 days", "Name an earlier day"]],
    [{ kind: "refused", why: "own" }, ["Nobody stands in for themselves", "Name somebody else"]],
    [{ kind: "refused", why: "too-many" }, ["whoever runs Countersign has to look"]],
    [{ kind: "refused", why: "too-often" }, ["more is possible tomorrow"]],
    [{ kind: "nobody", may: [mayBob] }, ["No rule lets that person stand in for you", `These may: <@${bob}>`]],
    [{ kind: "nobody", may: [] }, ["No rule lets that person stand in for you", "can add stand_ins to one"]],
    [{ kind: "rolled-back" }, ["before whoever runs Countersign has looked"]],
  ])("%j is answered with what to do", async (outcome, parts) => {
    const { text } = await answered(`/approvals away until monday <@${bob}>`, anAbsenceFlow(outcome))

    expect(parts.filter((part) => !text.includes(part))).toEqual([])
  })

  it.each(["", " until monday", ` <@${bob}>`, ` until soon <@${bob}>`, ` until monday <@${bob}> <@${alice}>`])(
    "/approvals away%s asks by the form, which takes a day that is one, and answers where it was opened",
    async (words) => {
      const { sandbox, asks, submit } = await inForm(anAbsenceFlow(), `/approvals away${words}`)

      expect(JSON.stringify(await submit("soon"))).toMatch(/until.*Write tomorrow, a day such as monday/)
      expect(asks).toEqual([])
      await submit("2098-12-31")
      await sandbox.waitFor(() => heard(sandbox)?.text.includes("You are away until"), limit)
      expect(asks).toMatchObject([{ standIn: { user: bob }, until: day("2098-12-31") }])
    },
  )

  it("a day that has begun is refused after the form, too", async () => {
    const { sandbox, submit } = await inForm(anAbsenceFlow({ kind: "refused", why: "no-time" }))

    await submit("2020-01-01")

    await sandbox.waitFor(() => heard(sandbox)?.text.includes("Name a later one"), limit)
  })

  it("somebody for whom nobody may stand in gets no form, but what could be done", async () => {
    const given = anAbsenceFlow()
    Object.assign(given.flow, { mayStandIn: async () => [] })
    const { sandbox } = await typed("/approvals away", given)

    const words = () => wordsOf(view(sandbox)?.definition.blocks)
    await sandbox.waitFor(() => words().includes("No rule names anybody who may stand in for you"), limit)
    expect(words()).toContain("whoever runs Countersign can add stand_ins")
    expect(view(sandbox)?.definition).not.toHaveProperty("submit")
  })

  it.each<[BackOutcome, string]>([
    [{ kind: "ended", absence }, "That absence is over. Both of you are told."],
    [{ kind: "none" }, "Nobody is away there, or not any more"],
    [{ kind: "not-yours" }, "Ask them, or who runs Countersign"],
  ])("/approvals back: %j is answered", async (outcome, words) => {
    const given = anAbsenceFlow()
    Object.assign(given.flow, { back: async () => outcome })

    expect((await answered("/approvals back", given)).text).toContain(words)
  })

  it("both people are told directly, and each ends it by the button, for which the flow answers", async () => {
    const { flow, backs } = anAbsenceFlow()
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const person = sandbox.workspace.people.get(bob)
    const channel = person === undefined ? "" : sandbox.workspace.directChannel(person).id
    const told = () => sandbox.messages(channel)

    await slack.chat.tellAbsence(`${team}:${bob}`, { kind: "begun", absence, rules: ["payments"] })
    expect(told()[0]?.text).toContain(`<@${rita}> is away until`)
    expect(told()[0]?.text).toContain(`<@${bob}> may vote for them under `)
    await sandbox.click(bob, { channel, ts: told()[0]?.ts ?? "" }, actionIds.endAbsence)
    await sandbox.waitFor(() => heard(sandbox, bob)?.text.includes("That absence is over"), limit)
    expect(backs).toEqual([[bob, absence.id]])

    await slack.chat.tellAbsence(`${team}:${bob}`, { kind: "begun", absence, rules: [] })
    expect(told()[1]?.text).toContain(`By the rules of now <@${bob}> may not vote for them`)
    await slack.chat.tellAbsence(`${team}:${bob}`, { kind: "over", absence })
    expect(told()[2]?.text).toContain(`The absence of <@${rita}> is over: <@${bob}> does not stand in`)
    expect(JSON.stringify(told()[2]?.blocks)).not.toContain(actionIds.endAbsence)
  })

  it("a button that somebody else's absence left, or none, changes nothing and says so", async () => {
    const { flow } = anAbsenceFlow()
    Object.assign(flow, { back: async () => ({ kind: "not-yours" }) })
    const { sandbox, slack } = await anOpenSlackModule(mode, flow)
    const person = sandbox.workspace.people.get(alice)
    const channel = person === undefined ? "" : sandbox.workspace.directChannel(person).id
    await slack.chat.tellAbsence(`${team}:${alice}`, { kind: "begun", absence, rules: ["payments"] })

    await sandbox.click(alice, { channel, ts: sandbox.messages(channel)[0]?.ts ?? "" }, actionIds.endAbsence)

    await sandbox.waitFor(() => heard(sandbox, alice)?.text.includes("Only its two people can end"), limit)
  })

  const onHome = async (more: object, given = anAbsenceFlow()) => {
    const module = await anOpenSlackModule(mode, given.flow)
    const none = { models: [], total: 0, more: false }
    const home = { mine: none, page: 1, waiting: 0, requests: none, decided: none, found: null, at: Date.now() }
    await module.slack.chat.publishHome(rita, { ...home, ...more })
    const press = (action: string) => module.sandbox.click(rita, module.sandbox.home(rita)?.id ?? "", action)
    const inModal = (words: string) =>
      module.sandbox.waitFor(() => wordsOf(view(module.sandbox)?.definition.blocks).includes(words), limit)
    return { ...given, ...module, press, inModal }
  }

  it("Be Away on Home opens the form, which the answer replaces", async () => {
    const { sandbox, press, inModal, asks } = await onHome({ mayBeAway: true })
    await press(actionIds.beAway)
    await sandbox.waitFor(() => "submit" in (view(sandbox)?.definition ?? {}), limit)
    const chosen = { [absenceBlocks.until]: "2098-12-31", [absenceBlocks.standIn]: `${team}:${bob}` }

    await sandbox.submit(rita, view(sandbox)?.id ?? "", chosen)

    await inModal("You are away until")
    expect(asks).toMatchObject([{ person: { user: rita }, standIn: { user: bob }, until: day("2098-12-31") }])
  })

  it("End It on Home answers in a modal, also that nothing has changed", async () => {
    const given = anAbsenceFlow()
    const { press, inModal, backs } = await onHome({ absences: [absence] }, given)
    await press(actionIds.endAbsence)
    await inModal("That absence is over")
    expect(backs).toEqual([[rita, absence.id]])

    Object.assign(given.flow, { back: async () => ({ kind: "none" }) })
    await press(actionIds.endAbsence)
    await inModal("Nobody is away there")
  })

  it("where Slack does not say somebody's time zone, a day begins by UTC", async () => {
    const given = anAbsenceFlow()
    const { sandbox } = await anOpenSlackModule(mode, given.flow)
    sandbox.faults.web("users.info", { kind: "error", error: "missing_scope" }, { times: 5 })

    await sandbox.command(rita, general, `/approvals away until 2098-12-31 <@${bob}>`)

    await sandbox.waitFor(() => heard(sandbox) !== undefined, limit)
    expect(given.asks).toMatchObject([{ until: day("2098-12-31") }])
  })

  it.each([`/approvals away until monday <@${bob}>`, "/approvals back"])(
    "%s while Redis or Slack is away says that nothing was done, and to try again",
    async (line) => {
      const given = anAbsenceFlow()
      const fails = async () => {
        throw chatFailure("ratelimited")
      }
      Object.assign(given.flow, { away: fails, back: fails })

      expect((await answered(line, given)).text).toMatch(/again/)
    },
  )
})
