// Whatever a script asks for and whatever people decide: what they approved runs once, what they refused never.

import fc from "fast-check"
import { expect, test } from "vitest"
import { checkScript } from "../../../src/service/components/script.ts"
import { advance, resume } from "../../../src/service/engine/advance.ts"
import { setOut } from "../../../src/service/engine/leg.ts"
import { type EngineRun, everyRun, type Leg, openCalls, type Stage } from "../../../src/service/engine/run.ts"
import type { CallVerdict } from "../../../src/service/engine/settle-call.ts"

const [agent] = checkScript({
  agents: [
    {
      id: "a",
      tools: [
        { name: "free" },
        { name: "confirm", gated: true },
        { name: "enter", gated: true, pause: "user_input", fields: [{ name: "x" }] },
        { name: "outside", gated: true, pause: "external_execution" },
      ],
    },
  ],
}).agents

const call = fc.record({ tool: fc.constantFrom("free", "confirm", "enter", "outside"), args: fc.constant({}) })
const task = fc.constantFrom("0", "1", "2")
const member = task.map((name) => ({ member: "a", kind: "agent" as const, task: name, step: null }))
const leaf = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
const root = fc.array(fc.array(fc.oneof(call, member), { minLength: 1, maxLength: 3 }), { maxLength: 3 })
type Turns = EngineRun["state"]["turns"]

function aRun(id: string, kind: EngineRun["kind"], turns: Turns, parentId: string | null): EngineRun {
  const state = {
    message: "",
    answer: "Done.",
    turns,
    listens: false,
    toolbox: agent?.tools ?? [],
    turn: 0,
    tools: [],
    requirements: [],
    name: "Agent",
    error: null,
    schedule: null,
    step: null,
    approval: null,
    regenerated_from: null,
    model: null,
    instructions: null,
    said: [],
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  const times = { createdAt: 0, updatedAt: 0 }
  return { id, kind, componentId: "a", parentId, sessionId: "s", userId: null, status: "RUNNING", ...times, state }
}

test("each approved call is executed once, no refused one ever, and the run ends", () => {
  fc.assert(
    fc.property(
      root,
      fc.array(leaf, { minLength: 3, maxLength: 3 }),
      fc.infiniteStream(fc.boolean()),
      (turns, leaves, coin) => {
        let made = 0
        const newId = (): string => `id-${(made += 1)}`
        const begin: Stage["begin"] = (parent, to) => aRun(newId(), "agent", leaves[Number(to.task)] ?? [], parent.id)
        const stage: Stage = { at: 1, newId, newCallId: newId, begin }
        const verdicts = new Map<string, CallVerdict>()
        const ran: string[] = []

        let leg: Leg = advance(setOut({ run: aRun("root", "team", turns, null), members: [] }), stage)
        for (;;) {
          ran.push(...leg.ran.map((one) => one.call.tool_call_id))
          if (leg.family.run.status !== "PAUSED") break
          const open = everyRun(leg.family).flatMap(openCalls)
          expect(open.length).toBeGreaterThan(0)
          for (const { approval_id: id } of open) {
            if (id === null || verdicts.has(id)) continue
            const approved: CallVerdict = { kind: "approved", values: { values: { x: 1 }, result: "r" }, note: null }
            verdicts.set(id, coin.next().value === true ? approved : { kind: "refused", note: "no" })
          }
          const decided = (one: { readonly approval_id: string | null }): CallVerdict =>
            verdicts.get(one.approval_id ?? "") ?? { kind: "refused", note: "nobody" }
          leg = resume(setOut(leg.family), decided, stage)
        }

        expect(leg.family.run.status).toBe("COMPLETED")
        const calls = everyRun(leg.family)
          .flatMap((run) => run.state.tools)
          .filter((one) => one.tool_name !== "delegate_task_to_member")
        const allowed = calls.filter(
          (one) => one.approval_id === null || verdicts.get(one.approval_id)?.kind === "approved",
        )
        expect(ran.toSorted()).toEqual(allowed.map((one) => one.tool_call_id).toSorted())
        expect(new Set(ran).size).toBe(ran.length)
      },
    ),
    { numRuns: 500 },
  )
})
