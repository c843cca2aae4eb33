// Home: what waits for a person and what they decided lately, on the app's own tab. Kept up to date at Slack's pace.
import { type CardModel, cardModelHash } from "../../domain/case/card-model.ts"
import { hashOf } from "../../domain/content/canonical.ts"
import type { SlackId } from "../../domain/people/person.ts"
import type { Home } from "../ports/inbound.ts"
import { isPortError, type Ports } from "../ports.ts"
import type { QueryPorts } from "./case-view.ts"
import { history, list } from "./list.ts"

export type HomePorts = QueryPorts & Pick<Ports, "clock" | "homes" | "chat" | "pace" | "log">

const waitingShown = 10
const decidedShown = 5
/** Homes that are kept up to date: those opened last. */
const maxKept = 50
/** Homes that one run publishes: with a run every 5 s that stays below Slack's 100 a minute. */
const maxPublished = 8

/** Somebody opened their Home: it is shown as it is now, and kept up to date from here on. */
export async function openHome(ports: HomePorts, id: SlackId): Promise<void> {
  await ports.homes.opened(id, ports.clock())
  // Whoever opens it waits for it: it is counted, and goes before the Homes that are only kept up to date.
  await ports.pace.count("views.publish")
  const home = await homeOf(ports, id)
  await ports.chat.publishHome(id.user, home)
  await ports.homes.shown(id, hashOfHome(home))
}

/** Publishes the Homes that show what is not true any more. Does nothing if no case changed since it last ran. */
export async function refreshHomes(ports: HomePorts): Promise<void> {
  if (!(await ports.homes.takeChanged())) return
  let published = 0
  for (const id of await ports.homes.list(maxKept)) {
    if (published === maxPublished) return ports.homes.changed()
    if (await refresh(ports, id)) published += 1
  }
}

async function refresh(ports: HomePorts, id: SlackId): Promise<boolean> {
  try {
    const home = await homeOf(ports, id)
    const hash = hashOfHome(home)
    if ((await ports.homes.lastShown(id)) === hash) return false
    const asked = { buckets: ["views.publish"], key: `home ${id.user}`, rank: "card" } as const
    if ((await ports.pace.reserve(asked)) > 0) {
      await ports.homes.changed()
      return false
    }
    await ports.chat.publishHome(id.user, home)
    await ports.homes.shown(id, hash)
    return true
  } catch (error) {
    if (!isPortError(error)) throw error
    ports.log.warn("home-failed", { user: id.user, error })
    if (error.retryable) await ports.homes.changed()
    return true
  }
}

async function homeOf(ports: HomePorts, id: SlackId): Promise<Home> {
  const [mine, all, decided] = await Promise.all([
    list(ports, id, { mine: true, filter: {}, offset: 0, limit: waitingShown }),
    list(ports, id, { mine: false, filter: {}, offset: 0, limit: 0 }),
    history(ports, id, { filter: { person: id.user }, offset: 0, limit: decidedShown }),
  ])
  return { mine, waiting: all.total, decided, at: ports.clock() }
}

function hashOfHome({ mine, waiting, decided }: Home): string {
  const hashes = (models: readonly CardModel[]) =>
    models.map((model) => [model.caseId, cardModelHash(model), model.troubles.map((one) => ({ ...one }))])
  return hashOf([hashes(mine.faces), mine.total, waiting, hashes(decided.faces)])
}
