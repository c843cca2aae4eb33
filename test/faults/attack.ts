// An attacker on the Redis of a seed, and a judge of what then reaches the platform. The judge checks only the first
// promise.
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { type Attacker, createAttacker, type Photo } from "../attacks/attacker.ts"
import { createOracle, type Oracle } from "../attacks/oracle.ts"
import type { Stroke } from "../attacks/schedule.ts"
import { bringsBackAll, strike } from "../attacks/strokes.ts"
import type { Schedule } from "./schedule.ts"
import type { Ground } from "./stage.ts"
import type { Timeline } from "./timeline.ts"

/** The attacker of a seed, with the oracle beside it. */
export interface Attack {
  readonly attacker: Attacker
  readonly oracle: Oracle
  /** What the bot did that people's last acts do not make. */
  readonly unmade: readonly string[]
  /** Copies all of Redis, for later. */
  readonly photograph: () => Promise<void>
  readonly strike: (strokes: readonly Stroke[], about: About) => Promise<void>
  /** Tells the judge that a replica reads the platform's record. */
  readonly hearRead: (id: string) => void
  readonly judge: (id: string, body: string) => void
}

/** What is struck at. */
interface About {
  readonly asked: readonly { readonly id: string; readonly caseId: string }[]
  readonly timeline: Timeline
}

/** Makes the attacker; it strikes nothing by itself. */
export function openAttack({ clock, redis }: Ground, { quorum }: Schedule, installation: string): Attack {
  const attacker = createAttacker({ url: redis.socket, installation })
  const rules = { people: [sandboxCast.alice, sandboxCast.bob], address: false, quorum }
  const oracle = createOracle({ rules, holder: "nobody", at: clock.now() })
  const album: Photo[] = []
  const tickets = new Map<string, Buffer>()
  const unmade: string[] = []
  const photograph = async () => {
    album.push(await attacker.photographAll())
    for (const [id, sealed] of await attacker.tickets()) tickets.set(id, sealed)
  }
  return {
    attacker,
    oracle,
    unmade,
    photograph,
    strike: async (strokes, { asked, timeline }) => {
      for (const stroke of strokes) {
        const seen = attacker.did.length
        await strike({ attacker, album, tickets, asked, postEnded: async () => false }, stroke)
        if (bringsBackAll(stroke.kind)) oracle.splitting(clock.now())
        timeline.note("attacker", `${stroke.kind}: ${attacker.did.slice(seen).join("; ") || "nothing"}`)
      }
    },
    hearRead: (id) => oracle.read(id, clock.now()),
    judge: (id, body) => {
      const verb = JSON.parse(body).status === "approved" ? "approve" : "reject"
      const wrong = oracle.sent(id, verb, clock.now())
      if (wrong !== null) unmade.push(`${id}: ${wrong}`)
    },
  }
}
