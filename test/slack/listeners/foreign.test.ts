// A button or form of ours that names nothing of ours, as another app or an older look may have it (R18): it counts
// nothing, its person is told, and the log says who pressed it.
import { expect, test } from "vitest"
import type { ViewDefinition } from "../../../src/blockkit/view.ts"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import { actionIds, viewIds } from "../../../src/slack/ids.ts"
import { buttons, form, limit } from "../../sandbox/cards.ts"
import { aClient } from "../../sandbox/support.ts"
import { aCardModel } from "../card-models.ts"
import { aFlow, aLog, anOpenSlackModule } from "../slack-module.ts"

const { alice, approvals } = sandboxCast

/** Buttons that name a case, a summary or a page. Those of stops and absences name an id that anybody may type. */
const named = [
  actionIds.approve,
  actionIds.reject,
  actionIds.details,
  actionIds.withdraw,
  actionIds.callBack,
  actionIds.breakGlass,
  actionIds.ask,
  actionIds.answer,
  actionIds.glassRight,
  actionIds.glassWrong,
  actionIds.reveal,
  actionIds.receipt,
  actionIds.receiptText,
  actionIds.review,
  actionIds.next,
  actionIds.homeReject,
  actionIds.stopAgent,
  `${actionIds.page}_next`,
]

test.each(named)("R18 the button %s that names nothing of ours is logged, and its person is told", async (action) => {
  const [flow, log] = [aFlow(aCardModel()), aLog()]
  const { sandbox } = await anOpenSlackModule("http", flow, { log })
  const blocks = [buttons(action)]
  const { ts = "" } = await aClient(sandbox).chat.postMessage({ channel: approvals, text: "theirs", blocks })

  await sandbox.click(alice, { channel: approvals, ts }, action)
  await sandbox.waitFor(() => sandbox.ephemerals(alice).length === 1, limit)

  expect(log.lines.filter(({ event }) => event === "foreign-button")).toMatchObject([{ fields: { user: alice } }])
  expect(flow.presses).toEqual([])
  expect(sandbox.ephemerals(alice)[0]?.text).toContain("decided on another card now")
})

test.each([viewIds.form, viewIds.glassReview, viewIds.ask, viewIds.answer])(
  "R18 the form %s that names nothing of ours counts nothing, and is logged",
  async (callback_id) => {
    const [flow, log] = [aFlow(aCardModel()), aLog()]
    const { sandbox } = await anOpenSlackModule("http", flow, { log })
    const { id } = sandbox.workspace.views.open(alice, { ...form(), callback_id } as ViewDefinition)

    const outcome = await sandbox.submit(alice, id, { text: "because" })

    expect(JSON.stringify([outcome, sandbox.openView(alice)])).toContain("decided on another card now")
    expect(log.lines.filter(({ event }) => event === "foreign-form")).toMatchObject([{ fields: { user: alice } }])
    expect(flow.presses).toEqual([])
  },
)
