// The demo's tour: each thing that Countersign does, as a button that starts it and leads to its card.
import { randomUUID } from "node:crypto"
import { caseIdOf } from "../../domain/case/case.ts"
import { readCookie } from "../../http/page/session.ts"
import type { Lead, Tour, Try } from "../../sandbox/user-actions/tour.ts"
import { SandboxError } from "../../sandbox/workspace/error.ts"
import type { PostedMessage } from "../../sandbox/workspace/messages.ts"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import type { Sandbox } from "../../sandbox.ts"
import type { RunningService } from "../../service.ts"
import { metadataTypes } from "../../slack/ids.ts"
import type { DemoOperator } from "./operator.ts"
import { type DemoRun, floodSize, tourCalls, tourRuns } from "./script.ts"
import { demoChannels, voucherSeconds } from "./setting.ts"

/** What a tour is played with. */
export interface TourOptions {
  readonly sandbox: Sandbox
  readonly operator: DemoOperator
  /** Changes what a pending approval of the platform is about. */
  readonly rewrite: RunningService["rewriteApproval"]
  readonly installation: string
  readonly botUrl: string
  readonly readToken: () => Promise<string>
}

/** How long a card may take, in ms. */
const limitMs = 20_000

const { approvals, payments, alice, bob } = sandboxCast
const { data, deploys, support } = demoChannels

interface Scene extends Try {
  readonly channel: string
  readonly hint: string
  readonly next?: SceneStep
}

/** What a second press does: it makes you somebody else, changes what waits, or lets the agent ask for more. */
interface SceneStep {
  readonly label: string
  readonly hint: string
  readonly person?: string
  readonly change?: { readonly from: string; readonly to: string }
  /** The calls, by their name in `tourCalls`. */
  readonly asks?: string
}

const asBob = (hint: string): SceneStep => ({ label: "Be Bob", person: bob, hint })

const scenes: readonly Scene[] = [
  {
    id: "form",
    label: "A form",
    about: "The agent needs values from you",
    channel: payments,
    hint: "The agent knows the supplier, not the account. Press Fill In… and give what is missing.",
  },
  {
    id: "result",
    label: "A result",
    about: "A human does the work and says how it went",
    channel: approvals,
    hint: "The agent cannot do this itself. Press Enter Result… and say how it went.",
  },
  {
    id: "quorum",
    label: "Two people",
    about: "A payout needs two votes",
    channel: payments,
    hint: "Approve as Alice: one more is needed. Then be Bob and approve, too.",
    next: asBob("You are Bob now. Approve: with the second vote both payouts go out."),
  },
  {
    id: "amount",
    label: "An amount",
    about: "Above 1,000 two people",
    channel: payments,
    hint: "The rule looks at the amount: a smaller refund needs one person. Approve, then be Bob.",
    next: asBob("You are Bob now. Approve: with the second vote the refund goes out."),
  },
  {
    id: "class",
    label: "Bank details",
    about: "A mail that holds an IBAN",
    channel: data,
    hint: "The mail holds an account number, so two people are asked. Reject it, or approve.",
  },
  {
    id: "limit",
    label: "A limit",
    about: "Small amounts add up",
    channel: payments,
    hint: "Two credits of 60 for one customer. Approve both as Alice: above 100 the second one needs two people.",
    next: asBob("You are Bob now. Approve the second one, too."),
  },
  {
    id: "change",
    label: "It changes",
    about: "The content changes after you looked",
    channel: payments,
    hint: "Approve as Alice. Then let the account number change, as if the agent had second thoughts.",
    next: {
      label: "Change It",
      hint: "The account is another one now. Your vote is void, and the card shows the new account.",
      change: { from: "DE02 1203 0000 0000 2020 51", to: "LT60 1010 0123 4567 8901" },
    },
  },
  {
    id: "news",
    label: "What is new",
    about: "Other bank details than the last time",
    channel: payments,
    hint: "Approve this payment as Alice. Then let the agent ask again, for the same supplier.",
    next: {
      label: "Ask Again",
      hint: "The card says what is new: neither this account nor as much was approved before.",
      asks: "news-again",
    },
  },
  {
    id: "four-eyes",
    label: "Four eyes",
    about: "Who asked may not approve",
    channel: payments,
    hint: "You are Alice, and Alice asked for this refund. Press Approve: you are told why not. Bob may.",
    next: asBob("You are Bob now, who did not ask for it. Approve."),
  },
  {
    id: "expiry",
    label: "An expiry",
    about: "Nobody decides in time",
    channel: payments,
    hint: `Wait. At ${voucherSeconds / 2} s the thread reminds. At ${voucherSeconds} s it is rejected, never approved.`,
  },
  {
    id: "secrets",
    label: "Secrets",
    about: "Key and password are masked",
    channel: data,
    hint: "Key and password are masked. Press Review Details, then reveal one: the ledger keeps that you looked.",
  },
  {
    id: "danger",
    label: "Danger",
    about: "The call destroys something",
    channel: approvals,
    hint: "Press Approve: you are asked once more, with the name of what will be gone.",
  },
  {
    id: "flood",
    label: "A flood",
    about: `${floodSize} calls at once`,
    channel: deploys,
    hint: `${floodSize} services at once: one summary instead of ${floodSize} cards. Press Review One by One.`,
  },
  {
    id: "team",
    label: "A team",
    about: "A team's own call",
    channel: support,
    hint: "A team of agents asks, and its rule sends the card to a channel of its own. Approve or reject.",
  },
  {
    id: "sql",
    label: "SQL",
    about: "A statement of 40 lines",
    channel: data,
    hint: "The card shows the first lines and says how many are left. Press Review Details to read all and to approve.",
  },
]

/** Makes the tour. Its tries may be run any number of times, in any order. */
export function createTour(options: TourOptions): Tour {
  const steps = new Map<string, () => Promise<Lead>>()
  const offer = (step: SceneStep | undefined, at: Played): Lead["next"] => {
    if (!step) return null
    const id = randomUUID()
    steps.set(id, () => playStep(options, step, at))
    return { id, label: step.label }
  }
  const play = async (scene: Scene): Promise<Lead> => {
    const ids = await start(options, scene)
    const { ts } = await messageOf(options, scene, ids)
    const place = { channel: scene.channel, ts }
    const next = offer(scene.next, { scene, place, approval: ids[0] ?? "" })
    return { place, person: alice, hint: scene.hint, next }
  }
  return {
    tries: scenes.map(({ id, label, about }) => ({ id, label, about })),
    run: (id) => {
      const step = steps.get(id)
      const scene = scenes.find((one) => one.id === id)
      if (step) return step()
      if (scene) return play(scene)
      throw new SandboxError(
        "no_such_thing",
        `there is no try ${id}; there are: ${scenes.map((one) => one.id).join(", ")}`,
      )
    },
    auditDoor: async () => ({
      url: `${options.botUrl}/page`,
      cookie: { name: readCookie, value: await options.readToken(), path: "/page" },
    }),
  }
}

/** Lets agents ask, and returns the approvals that wait then. */
async function start({ operator }: TourOptions, { id }: Pick<Scene, "id">): Promise<readonly string[]> {
  const calls = tourCalls(id, randomUUID().slice(0, 4))
  if (calls.length > 0) return Promise.all(calls.map((call) => operator.ask(call)))
  const run: DemoRun | undefined = Object.entries(tourRuns).find(([name]) => name === id)?.[1]
  if (!run) throw new Error(`the script has no run for ${id}`)
  return [(await operator.start(run)).id]
}

/** The card of one of these approvals, or the summary that names them. */
function messageOf({ sandbox, installation }: TourOptions, { channel, about, id }: Scene, ids: readonly string[]) {
  const cases = ids.map((approval) => caseIdOf(installation, "default", approval))
  const leadsThere = (message: PostedMessage) => {
    const isSummary = message.metadata?.event_type === metadataTypes.summary
    return id === "flood" ? isSummary : cases.some((one) => JSON.stringify(message.blocks).includes(one))
  }
  const find = () => sandbox.messages(channel).findLast(leadsThere)
  return sandbox.waitFor(find, { limitMs, what: `the card of: ${about}` })
}

interface Played {
  readonly scene: Scene
  readonly place: Lead["place"]
  readonly approval: string
}

async function playStep(options: TourOptions, step: SceneStep, { scene, ...played }: Played): Promise<Lead> {
  if (step.change) options.rewrite(played.approval, step.change)
  const asked = step.asks === undefined ? null : await start(options, { id: step.asks })
  const ts = asked === null ? played.place.ts : (await messageOf(options, scene, asked)).ts
  return { place: { ...played.place, ts }, person: step.person ?? alice, hint: step.hint, next: null }
}
