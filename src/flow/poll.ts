// Poll: reads what is pending at one instance, page by page, and opens a case for each approval that is not known.
import type { Approval } from "../domain/approval.ts"
import { caseIdOf, markOf } from "../domain/case.ts"
import { digestOf } from "../domain/digest.ts"
import { type AnnouncePorts, announce } from "./announce.ts"
import type { Page, Platform, Ports } from "./ports.ts"

export type PollPorts = AnnouncePorts & Pick<Ports, "platforms" | "log">

/** How many cases that the list no longer names are asked for by id in one poll; the rest has its turn in the next. */
const mostAsked = 100

/**
 * One poll of one instance. A bad item never costs its neighbours. An approval that is known but not listed any more is asked for by
 * id: an empty list closes nothing.
 */
export async function poll(ports: PollPorts, instance: string): Promise<void> {
  const platform = ports.platforms.get(instance)
  if (platform === undefined) throw new Error(`no instance "${instance}" in the config`)
  const seen = await readPages(ports, instance, platform)
  const open = await ports.store.openApprovals(instance)
  const gone = inTurn(
    open.filter((id) => !seen.has(id)),
    ports.clock(),
  )
  await Promise.all(gone.map((id) => ports.jobs.reconcile(caseIdOf(ports.installation, instance, id))))
}

/** So many of them, others each second, so that none is starved by those that never answer. */
function inTurn(ids: readonly string[], now: number): readonly string[] {
  const start = (Math.floor(now / 1_000) * mostAsked) % Math.max(1, ids.length)
  return [...ids.slice(start), ...ids.slice(0, start)].slice(0, mostAsked)
}

async function readPages(ports: PollPorts, instance: string, platform: Platform): Promise<ReadonlySet<string>> {
  const seen = new Set<string>()
  for await (const page of platform.pending()) {
    await readPage(ports, instance, page)
    for (const approval of page.approvals) seen.add(approval.id)
  }
  return seen
}

async function readPage(ports: PollPorts, instance: string, page: Page): Promise<void> {
  for (const { id, why } of page.unreadable) ports.alarm({ code: "unreadable-approval", instance, approval: id, why })
  const known = await ports.store.known(
    instance,
    page.approvals.map((approval) => approval.id),
  )
  for (const approval of page.approvals) await meet(ports, approval, known.get(approval.id))
}

/** A new one is announced; one whose content or rules moved, or that is pending again though its case is settled, is compared. */
async function meet(ports: PollPorts, approval: Approval, mark: string | undefined): Promise<void> {
  if (mark === undefined) return announce(ports, approval)
  if (mark !== markOf(digestOf(approval), ports.policy.revision)) {
    await ports.jobs.reconcile(caseIdOf(ports.installation, approval.instance, approval.id))
  }
}
