// The doctor on one instance: the probes of facts in their order, until one of them makes the next ones pointless.
import type { Config } from "../../config.ts"
import { type Asked, createInstanceProbe, type InstanceProbe, RUNNABLE } from "../../platform/probe.ts"
import { type Finding, notesOn } from "./finding.ts"
import { judgeCount, judgeList, judgePair, judgeResolve } from "./platform-access.ts"
import { judgeInfo, type Nature, natureOf } from "./platform-info.ts"

/** Looks at an instance; nothing that is sent can resolve or run anything. */
export async function lookAtInstance(instance: Config["instances"][number]): Promise<readonly Finding[]> {
  const probe = createInstanceProbe(instance)
  try {
    const info = await probe.info()
    const told = judgeInfo(instance.name, info)
    if (info.kind === "none") return told
    return [...told, ...(await lookAtAccess(instance, probe, natureOf(info, instance.token)))]
  } finally {
    await probe.close()
  }
}

async function lookAtAccess(
  { name }: Pick<Config["instances"][number], "name">,
  probe: InstanceProbe,
  nature: Nature,
): Promise<readonly Finding[]> {
  const notes = notesOn(`platform ${name}`)
  const count = await countOf(probe)
  const counted = judgeCount(notes, count)
  // 403 is about one scope; whatever else is wrong is wrong for every call.
  if (count.kind === "none" || (count.status !== 200 && count.status !== 403)) return [counted]
  const list = count.status === 200 ? [judgeList(notes, await probe.first(), nature)] : []
  const resolve = await probe.resolveNothing()
  const resolved = judgeResolve(notes, resolve, nature)
  if (nature.mode === "none") return [counted, ...list, resolved]
  const runs = await Promise.all(RUNNABLE.map(async (kind) => ({ kind, asked: await probe.continueNothing(kind) })))
  return [counted, ...list, resolved, judgePair(notes, { resolve, runs })]
}

/** AgentOS 2 answers 401 to a good service account while its database fails: one is asked again before it is believed. */
async function countOf(probe: InstanceProbe): Promise<Asked> {
  const first = await probe.count()
  return first.kind === "answer" && first.status === 401 ? probe.count() : first
}
