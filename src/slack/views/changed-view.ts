// What changed between what somebody looked at and what would run now, old and new side by side. Nothing was counted.
import type { KnownBlock, ModalView, SectionBlock } from "@slack/types"
import { plain } from "../../blockkit/text.ts"
import { type Approval, type Call, callsOf } from "../../domain/content/approval.ts"
import { maskApproval } from "../../domain/text/mask.ts"
import type { Answer, Change } from "../../flow/ports/reply.ts"
import type { ReopenedView } from "../../flow/ports.ts"
import { viewIds } from "../ids.ts"
import { passagesAsText, valueInLines } from "../text/argument-text.ts"
import { counted, headlineOf } from "../text/headline.ts"
import { maskModel } from "../text/masking.ts"
import { plainWords, rich, say } from "../text/spans.ts"
import { createTextFitter } from "../text/text-fitter.ts"
import { alertBlock, answerBlock } from "./alert-block.ts"
import { fullNames, isListed } from "./call-blocks.ts"
import { detailsButton } from "./case-buttons.ts"
import { detailsView, modal } from "./details.ts"

const changedWords = "This has changed since you opened it. Your press was not counted. Please look at it again."
const maxRows = 40
const nameUnits = 150
const valueUnits = 1_600

/** The modal after an interaction about content that is no longer there; its button opens everything anew. */
export function changedView({ before, now }: Change): ModalView {
  const { model } = maskModel(now)
  const blocks: KnownBlock[] = [
    rich(headlineOf(model, createTextFitter())),
    ...changeBlocks({ before, now }),
    { type: "actions", elements: [detailsButton(model, "Review", true)] },
  ]
  return modal({ callback: viewIds.told, title: "Approval", blocks })
}

/** That it changed; and what, if we know what the person saw. */
function changeBlocks({ before, now }: Change): readonly KnownBlock[] {
  const { model } = maskModel(now)
  const old = before === null ? null : maskApproval(before, now.look.mask).approval
  return [
    alertBlock([say(changedWords)], "warning"),
    ...(old === null || model.approval === null ? [] : differenceBlocks(old, model.approval)),
  ]
}

function differenceBlocks(before: Approval, now: Approval): readonly KnownBlock[] {
  const [old, fresh] = [partsOf(before), partsOf(now)]
  const names = [...new Set([...old.keys(), ...fresh.keys()])].filter((name) => old.get(name) !== fresh.get(name))
  if (names.length === 0) return [rich([say("Only ids that the platform keeps beside it are different.")])]
  const rest = names.length - maxRows
  return [
    ...names.slice(0, maxRows).map((name) => row(name, old.get(name), fresh.get(name))),
    ...(rest > 0 ? [rich([say(`and ${counted(rest, "more difference")}, all of it behind Review.`)])] : []),
  ]
}

/** Two columns on a wide screen, two lines on a phone. */
function row(name: string, old: string | undefined, fresh: string | undefined): SectionBlock {
  const fitter = createTextFitter()
  const cell = (when: string, value: string | undefined) => {
    const head = `${when} · ${fitter.word(name, nameUnits)}`
    // Our own words stand on the first line, if there is no value there.
    if (value === undefined) return plain(`${head}: not there`)
    return plain(value === "" ? `${head}: empty` : `${head}\n${fitter.text(value, valueUnits)}`)
  }
  return { type: "section", fields: [cell("Before", old), cell("Now", fresh)] }
}

/** Everything that a person reads of an approval, by name. */
function partsOf(approval: Approval): ReadonlyMap<string, string> {
  const { agentId: agent, teamId: team, workflowId: workflow, pauseType: pause, sourceType: source } = approval
  const { toolName: tool, toolArgs } = approval
  const record = { agent, team, workflow, pause, source, tool }
  const calls = callsOf(approval)
  const own = isListed(approval, calls) ? {} : (toolArgs ?? {})
  return new Map([
    ...Object.entries(record).map(([name, value]) => [name, value ?? "none"] as const),
    ...Object.entries(own).map(([name, value]) => [`record: ${name}`, valueInLines(value)] as const),
    ...calls.flatMap(partsOfCall),
  ])
}

function partsOfCall(call: Call, index: number, all: readonly Call[]): readonly (readonly [string, string])[] {
  const at = (name: string) => (all.length === 1 ? name : `call ${index + 1}: ${name}`)
  const state = call.open ? "waits" : "done already"
  return [
    [at("tool"), call.tool ?? "none"],
    [at("state"), call.gated ? state : `${state}, not part of this decision`],
    ...Object.entries(call.args).map(([name, value]) => [at(name), valueInLines(value)] as const),
    ...call.fields.map((field, place) => [at(`to fill in, ${place + 1}`), valueInLines(field)] as const),
    ...call.others.map(([name, one], place) => [at(`also there, ${place + 1}: ${name}`), valueInLines(one)] as const),
    ...namesOf(call).map((names) => [at("names"), names] as const),
  ]
}

function namesOf({ tool, memberName: member }: Call): readonly string[] {
  const names = fullNames({ tool, member })
  return names.length === 0 ? [] : [passagesAsText(names, plainWords)]
}

/** The first page of Details under the answer. The person has to open the other pages again (R4). */
export function detailsAgainView(answer: Answer, { details, place }: ReopenedView): ModalView {
  const above =
    answer.kind === "changed" && answer.change !== null ? changeBlocks(answer.change) : [answerBlock(answer)]
  return detailsView({ details, place, page: 1, seen: 0, revealed: false, changed: false, above })
}
