// Breaking glass: Details, form, decision, review, on two replicas of which one is killed between decision and POST.
import { expect, it } from "vitest"
import { actionIds, formIds } from "../../src/slack/ids.ts"
import { aWorld } from "./a-world.ts"
import {
  ask,
  card,
  cards,
  decided,
  formOf,
  ledgerOf,
  record,
  resolves,
  type Seen,
  settled,
  threadSays,
  told,
  until,
  viewSays,
} from "./acts.ts"
import { aWorldOfProcesses, kill } from "./processes.ts"
import { limitMs, sandboxCast, type World } from "./world.ts"

const { alice, bob, rita, approvals, approvers, payments } = sandboxCast

const rules = `
  - name: everything
    routes: [${approvals}]
    approvers: [${approvers}]
    quorum: 2
    unknown_requester: allow
    require_reason: never
    break_glass: {approvers: [${alice}], reviewers: [${rita}, ${alice}], route: ${payments}}`

const afterMs = 60_000

/** Opens the form that breaks the glass, in Details. */
async function openForm(here: World, person: string) {
  const { channel, ts } = await card(here)
  await here.sandbox.click(person, { channel, ts }, actionIds.details)
  await viewSays(here, person, "Digest")
  const details = here.sandbox.openView(person)?.id ?? ""
  await here.sandbox.click(person, details, actionIds.breakGlass)
  return formOf(here, person)
}

/** The card on which reviewers are asked. */
function reviewCard(here: World, ms = limitMs): Promise<Seen> {
  const look = () =>
    cards(here, "breaking glass", payments).find(({ buttons }) => buttons.includes(actionIds.glassRight))
  return here.sandbox.waitFor(look, { limitMs: ms, what: "the card of the review" })
}

it.each(["socket", "http"] as const)("in %s mode Details offer it to those alone whom the rule lists", async (mode) => {
  const here = await aWorld({ mode, rules })
  const row = await ask(here)
  const { channel, ts } = await card(here)
  await here.sandbox.click(bob, { channel, ts }, actionIds.details)
  await viewSays(here, bob, "Digest")
  expect(JSON.stringify(here.sandbox.openView(bob)?.definition.blocks)).not.toContain(actionIds.breakGlass)

  const form = await openForm(here, alice)
  await here.sandbox.submit(alice, form.id, { [formIds.reason]: "it burns", [formIds.typed]: "delete_user_dat" })
  expect(await record(here, row.id)).toMatchObject({ status: "pending" })
  await here.sandbox.submit(alice, form.id, { [formIds.reason]: "it burns", [formIds.typed]: "delete_user_data" })

  expect(await decided(here, row.id)).toMatchObject({
    status: "approved",
    resolved_by: "alice@sandbox.example",
    resolution_data: { countersign: { glass: true, reason: "it burns" } },
  })
  const open = await settled(here, "Approved by breaking glass")
  await threadSays(here, open, `without <!subteam^${approvers}>`)

  const asked = await reviewCard(here)
  await here.sandbox.click(alice, asked, actionIds.glassRight)
  await told(here, alice, "You broke the glass yourself")
  await here.sandbox.click(rita, asked, actionIds.glassRight)
  await told(here, rita, "you said that it was right")
  await threadSays(here, open, "says that breaking the glass was right")
  await until("the case to close", async () =>
    (await ledgerOf(here)).some(({ kind }) => kind === "closed") ? true : undefined,
  )
})

it("a replica that is killed between decision and POST leaves it to the other: one decision, one review", async ({
  onTestFinished,
}) => {
  const { here, start } = await aWorldOfProcesses({ mode: "http", rules, timeoutMs: 30_000 }, onTestFinished)
  await start()
  const taking = await start()
  const row = await ask(here)
  const form = await openForm(here, alice)
  here.proxy.fail({ method: "POST", path: /\/resolve$/, times: 1, fault: { kind: "swallow", forwarded: false } })

  await here.sandbox.submit(alice, form.id, { [formIds.reason]: "it burns", [formIds.typed]: "delete_user_data" })
  await until("the POST to be on its way", () => (resolves(here) === 1 ? true : undefined))
  await kill(taking)
  expect(await record(here, row.id)).toMatchObject({ status: "pending" })
  await start()

  expect(await decided(here, row.id, afterMs)).toMatchObject({ status: "approved" })
  const open = await settled(here, "Approved by breaking glass", approvals, afterMs)
  const asked = await reviewCard(here, afterMs)
  await here.sandbox.click(rita, asked, actionIds.glassWrong)
  const why = await here.sandbox.waitFor(
    () => {
      const view = here.sandbox.openView(rita)
      return view?.definition.callback_id === "countersign_glass_review" ? view : undefined
    },
    { limitMs, what: "the form of the review" },
  )
  await here.sandbox.submit(rita, why.id, { [formIds.reason]: "the others were there" })
  await told(here, rita, "Nothing is undone")
  await threadSays(here, open, "the others were there", afterMs)

  const kinds = (await ledgerOf(here)).map(({ kind }) => kind)
  for (const once of ["voted", "decided", "glass-broken", "glass-reviewed"])
    expect(kinds.filter((kind) => kind === once)).toEqual([once])
  expect(cards(here, "breaking glass", payments)).toHaveLength(1)
})
