// Other rules: a replica starts with another file, and people approve that, reject it, or leave it to the next one.
import type { PostedMessage } from "../../src/sandbox/workspace/messages.ts"
import { actionIds } from "../../src/slack/ids.ts"
import { aim } from "./people.ts"
import { has, saysOf } from "./screen.ts"
import type { Stage } from "./stage.ts"
import type { Moment } from "./strikes.ts"
import { oversight } from "./terms.ts"

/** The first replica starts with another config, which is proposed. */
export interface Proposing {
  readonly kind: "propose"
  /** What people make of it. `replace`: after the first vote another one is proposed, and they approve that. */
  readonly how: "approve" | "reject" | "replace" | "leave"
}

/** How long its card may take to hang, and people to see what their press brings about, in ms. */
const cardMs = 20_000
const answerMs = 2_500
/** How often somebody presses who is shown an error. */
const mostTries = 8

/** Proposes, and lets people vote on it. */
export async function proposeRules(stage: Stage, { how }: Proposing, { go }: Moment): Promise<void> {
  const [alice, bob] = oversight.changers
  go()
  await proposeBy(stage, 2)
  if (how === "leave") return
  const first = await vote(stage, { person: alice, verb: "approve", not: null })
  if (how === "replace") {
    await proposeBy(stage, 3)
    await vote(stage, { person: alice, verb: "approve", not: first })
  }
  await vote(stage, {
    person: bob,
    verb: how === "reject" ? "reject" : "approve",
    not: how === "replace" ? first : null,
  })
}

async function proposeBy({ replicas }: Stage, revision: number): Promise<void> {
  const [replica] = replicas
  if (replica === undefined) return
  replica.revision = revision
  await replica.stop()
  await replica.start()
}

interface Ruling {
  readonly person: string
  readonly verb: "approve" | "reject"
  /** The card of a proposal that was replaced. */
  readonly not: string | null
}

/** Votes on the card that can be pressed, and says which one it was; null if there is none. */
async function vote(stage: Stage, { person, verb, not }: Ruling): Promise<string | null> {
  const { sandbox, timeline, ground } = stage
  const open = (message: PostedMessage) =>
    has(message.blocks, actionIds[verb]) && saysOf(message).includes("to_revision")
  const look = () => sandbox.messages(oversight.channel).findLast((message) => open(message) && message.ts !== not)
  const card = await sandbox.waitFor(look, { limitMs: cardMs }).catch(() => null)
  if (card === null) timeline.note(person, "finds no proposal")
  if (card === null) return null
  for (let tries = 0; tries < mostTries; tries += 1) {
    aim(stage)
    const outcome = await sandbox.click(person, { channel: card.channelId, ts: card.ts }, actionIds[verb], {
      seen: card,
    })
    timeline.note(person, `presses ${verb} on a proposal: ${outcome.ok}`)
    await ground.clock.wait(answerMs)
    if (outcome.ok) break
  }
  return card.ts
}
