// views.* with the real client: triggers, stacks, hashes, Home tabs.

import { describe, expect, it } from "vitest"
import { sandboxCast } from "../../../src/sandbox/workspace/seed.ts"
import type { Sandbox } from "../../../src/sandbox.ts"
import { aClient, aClock, aRawBot, aSandbox, modal, refusal, section } from "../support.ts"

describe("views", () => {
  it("opens once within three seconds of the trigger, and never later", async () => {
    const clock = aClock()
    const sandbox = await aSandbox("http", { clock })
    const { views } = aClient(sandbox)
    const triggers = [await triggerOf(sandbox), await triggerOf(sandbox)]

    await views.open({ trigger_id: triggers[0] ?? "", view: modal() })
    const again = views.open({ trigger_id: triggers[0] ?? "", view: modal() })
    await expect(again).rejects.toEqual(refusal("exchanged_trigger_id"))
    clock.advance(3001)

    await expect(views.open({ trigger_id: triggers[1] ?? "", view: modal() })).rejects.toEqual(
      refusal("expired_trigger_id"),
    )
    await expect(views.open({ trigger_id: "guess", view: modal() })).rejects.toEqual(refusal("invalid_trigger_id"))
    expect(sandbox.openView(sandboxCast.alice)).toMatchObject({ definition: { title: { text: "Title" } } })
  })

  it("holds three views at most, and changes one only if nobody was faster", async () => {
    const sandbox = await aSandbox("http")
    const { views } = aClient(sandbox)
    const trigger_id = async () => await triggerOf(sandbox)
    const opened = await views.open({ trigger_id: await trigger_id(), view: { ...modal(), external_id: "one" } })
    const { id: view_id = "", hash = "" } = opened.view ?? {}

    await views.update({ view_id, hash, view: modal("Second") })
    await expect(views.update({ view_id, hash, view: modal("Third") })).rejects.toEqual(refusal("hash_conflict"))
    await views.push({ trigger_id: await trigger_id(), view: modal() })
    await views.push({ trigger_id: await trigger_id(), view: modal() })

    await expect(views.push({ trigger_id: await trigger_id(), view: modal() })).rejects.toEqual(
      refusal("push_limit_reached"),
    )
    await expect(views.update({ view_id: "V0GONE", view: modal() })).rejects.toEqual(refusal("not_found"))
    await expect(views.open({ trigger_id: await trigger_id(), view: modal("x".repeat(25)) })).rejects.toEqual(
      refusal("invalid_arguments"),
    )
    const unknown = { ...modal(), blocks: [{ type: "carousel" }] }
    await expect(views.update({ view_id, view: unknown as never })).rejects.toMatchObject({
      data: { response_metadata: { messages: ["[ERROR] unsupported type [json-pointer:/view/blocks/0]"] } },
    })
    expect(sandbox.workspace.views.find(view_id)).toMatchObject({ definition: { title: { text: "Second" } } })
  })

  it("publishes a Home tab for a person", async () => {
    const sandbox = await aSandbox()
    const { views } = aClient(sandbox)
    const view = { type: "home" as const, blocks: [section(1)] }

    const { view: first } = await views.publish({ user_id: sandboxCast.alice, view })
    await views.publish({ user_id: sandboxCast.alice, view, hash: first?.hash ?? "" })

    await expect(views.publish({ user_id: sandboxCast.alice, view, hash: first?.hash ?? "" })).rejects.toEqual(
      refusal("hash_conflict"),
    )
    await expect(views.publish({ user_id: "U0NOBODY", view })).rejects.toEqual(refusal("user_not_found"))
    expect(sandbox.home(sandboxCast.alice)?.id).toBe(first?.id)
  })
})

/** A fresh trigger of Alice, taken from a command. */
async function triggerOf(sandbox: Sandbox): Promise<string> {
  const heard = await aRawBot(sandbox, () => ({}))
  await sandbox.command(sandboxCast.alice, sandboxCast.approvals, "/trigger")
  return String(heard[0]?.["trigger_id"])
}
