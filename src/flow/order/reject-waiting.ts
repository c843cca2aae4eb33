// Whoever stopped something rejects what waits under it: each case by a vote and a commit of its own, where the rules
// let them (R1), with the reason of the stop. Cut off anywhere, no case is half done, and the next press goes on.
import type { Case } from "../../domain/case/case.ts"
import { sha256 } from "../../domain/content/canonical.ts"
import { coverOf, type Stop } from "../../domain/order/stop.ts"
import { isSameOrderer, ordererOf } from "../../domain/people/orderer.ts"
import type { Person } from "../../domain/people/person.ts"
import { readCase } from "../case/commit.ts"
import { freshMs } from "../people/eligibility.ts"
import { maySee } from "../people/visibility.ts"
import { judgeVoter } from "../people/voters.ts"
import type { Answer } from "../ports/reply.ts"
import {
  FlowError,
  isPortError,
  type NamedCase,
  type Ports,
  type RejectAsk,
  type RejectOffer,
  type RejectOrder,
  type RejectOutcome,
} from "../ports.ts"
import { decidePress } from "../vote/decide.ts"
import { lateMs } from "../vote/weigh.ts"
import { findUnder, namedAs } from "./under.ts"

/** How often a case is judged before it is left. */
const maxJudged = 5

/** How many cases would be rejected. Nothing is rejected yet. */
export async function offerRejection(ports: Ports, ask: RejectAsk): Promise<RejectOffer> {
  const own = await ownStop(ports, ask)
  if (own.kind !== "yours") return own
  // Cases that come later are not among those of which the number was shown.
  const at = ports.clock()
  const { open } = await findUnder(ports, own.stop)
  return { kind: "may", stop: own.stop, waiting: open.length, at }
}

/** Rejects what waited when the number was shown. `ports` gives the ports of the active config (R16). */
export async function rejectWaiting(ports: () => Ports, order: RejectOrder): Promise<RejectOutcome> {
  if (ports().clock() - order.pressedAt > lateMs) return { kind: "late" }
  const own = await ownStop(ports(), order)
  if (own.kind !== "yours") return own
  const { open } = await findUnder(ports(), own.stop)
  const done = { rejected: [], held: [], others: [], left: [], hidden: 0, gone: 0 } as Told
  for (const { current } of open) {
    if (current.openedAt > order.shownAt) continue
    const end = await rejectOne(ports, current, { ...own, order })
    if (end === "hidden" || end === "gone") done[end] += 1
    else done[end].push(namedAs(current))
  }
  return { kind: "done", stop: own.stop, ...done }
}

/** What became of all cases. */
interface Told {
  readonly rejected: NamedCase[]
  readonly held: NamedCase[]
  readonly others: NamedCase[]
  readonly left: NamedCase[]
  hidden: number
  gone: number
}

/** What became of one case. `others`: it is not theirs to reject. `hidden`: nor to see (R8). `left`: try again. */
type End = keyof Told

interface Own {
  readonly stop: Stop
  readonly person: Person
}

/** The stop, if it is in force and this person made it. */
async function ownStop(
  ports: Pick<Ports, "orderBook" | "people">,
  ask: RejectAsk,
): Promise<({ readonly kind: "yours" } & Own) | { readonly kind: "gone" | "not-yours" }> {
  const { stops } = await ports.orderBook.list()
  const stop = stops.find(({ id }) => id === ask.stop)
  if (stop === undefined) return { kind: "gone" }
  const person = await ports.people.look(ask.person, freshMs)
  return isSameOrderer(stop.by, ordererOf(person)) ? { kind: "yours", stop, person } : { kind: "not-yours" }
}

/** Rejects one case. If other rules or orders came into force meanwhile, judges it by these. */
async function rejectOne(ports: () => Ports, { id }: Case, own: Own & { readonly order: RejectOrder }): Promise<End> {
  for (let times = 1; ; times += 1) {
    const now = ports()
    try {
      return await tryOne(now, id, own)
    } catch (error) {
      const again = error instanceof FlowError && error.code === "other-config" && ports() !== now
      if (again && times < maxJudged) continue
      if (!isPortError(error)) throw error
      now.log.warn("not-rejected-yet", { caseId: id, error })
      return "left"
    }
  }
}

async function tryOne(
  ports: Ports,
  caseId: string,
  { stop, person, order }: Own & { readonly order: RejectOrder },
): Promise<End> {
  const current = await readCase(ports, caseId)
  if (current === null || current === "frozen" || current.state !== "open") return "gone"
  const inForce = ports.orders().stops.some(({ id }) => id === stop.id)
  if (!inForce || coverOf(stop, current) === null) return "gone"
  const callsBack = await standingTo(ports, current, person)
  if (callsBack === null) return (await maySee(ports, current, person)) ? "others" : "hidden"
  const { answer } = await decidePress(
    { ...ports, jobs: { ...ports.jobs, heldFor: "" } },
    {
      interaction: sha256(`${order.interaction} ${caseId}`),
      person,
      name: person.name,
      at: ports.clock(),
      target: targetOf(current),
      on: null,
      surface: "command",
      verb: "reject",
      ...callsBack,
      reason: stop.reason,
      values: null,
    },
  )
  return ends.get(answer.kind) ?? "left"
}

/** What an answer to one rejection means. After any other answer the case is left: pressing again goes on. */
const ends: ReadonlyMap<Answer["kind"], End> = new Map([
  ["resolved", "rejected"],
  ["unknown-outcome", "rejected"],
  ["counted", "rejected"],
  ["again", "rejected"],
  ["held", "held"],
  ["already", "gone"],
  ["elsewhere", "gone"],
  ["expired", "gone"],
  ["frozen", "gone"],
  ["unknown-case", "gone"],
  ["refused", "others"],
] as const)

/** How this person may reject a case: as an approver, or by calling their own request back. Null: not at all. */
async function standingTo(ports: Ports, current: Case, person: Person): Promise<{ readonly calledBack?: true } | null> {
  if ((await judgeVoter(ports, current, person, { verb: "reject" })).ok) return {}
  const back = { verb: "reject", calledBack: true } as const
  return (await judgeVoter(ports, current, person, back)).ok ? { calledBack: true } : null
}

/** What the rejection is about: the case as it is. Rejecting needs no sight (R4). */
function targetOf({ installation, id, cards, revision, chain }: Case) {
  const { number, digest } = revision
  const bound = { era: chain.era, count: chain.count }
  return {
    installation,
    caseId: id,
    route: cards[0]?.route ?? "",
    revision: number,
    digest: digest.slice(0, 16),
    bound,
  }
}
