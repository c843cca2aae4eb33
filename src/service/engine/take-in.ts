// Takes in the reply of a model: its calls become the run's next turn; its answer or its failure ends the run. Pure.

import type { WireObject } from "../wire/exact-json.ts"
import { complete, fail, follow, playTurn, settleTurn } from "./advance.ts"
import { setOut, withMember, withRun } from "./leg.ts"
import { everyRun, type Leg, type Stage, type Usage } from "./run.ts"

/** A tool call as the model asks for it. */
export interface AskedCall {
  readonly tool: string
  readonly args: WireObject
}

/** What came of asking a model once. `said` is the text beside the calls. */
export type ModelReply =
  | { readonly kind: "answer"; readonly text: string; readonly usage: Usage }
  | { readonly kind: "calls"; readonly calls: readonly AskedCall[]; readonly said: string; readonly usage: Usage }
  | { readonly kind: "failed"; readonly error: string; readonly usage: Usage }

/** Lets a run go on with a reply of its own model or of a member's, up to the next pause, question or end. */
export function takeIn(leg: Leg, runId: string, reply: ModelReply, stage: Stage): Leg {
  const { run, members } = leg.family
  if (run.id === runId) return withReply(leg, reply, stage)
  const member = members.find((candidate) => everyRun(candidate).some(({ id }) => id === runId))
  if (member === undefined) return leg
  const taken = withMember(leg, takeIn(setOut(member), runId, reply, stage))
  return settleTurn(follow(taken, member.run.id), stage)
}

function withReply(leg: Leg, reply: ModelReply, stage: Stage): Leg {
  const { run } = leg.family
  const { usage, turns, said } = run.state
  const counted = {
    input_tokens: usage.input_tokens + reply.usage.input_tokens,
    output_tokens: usage.output_tokens + reply.usage.output_tokens,
  }
  const state = { ...run.state, usage: counted }
  const taken = { ...run, updatedAt: stage.at, state }
  switch (reply.kind) {
    case "failed":
      return fail(withRun(leg, taken), reply.error, stage)
    case "answer":
      return complete(withRun(leg, { ...taken, state: { ...state, answer: reply.text } }), stage)
    case "calls": {
      const next = { ...state, turns: [...turns, [...reply.calls]], said: [...said, reply.said] }
      return playTurn(withRun(leg, { ...taken, state: next }), reply.calls, stage)
    }
  }
}
