// The doctor on one instance: the probes of `docs/platform-facts.md` 7 in their order, until one of them makes the next
// ones pointless.
import type { Config } from "../../config.ts"
import { type Asked, createInstanceProbe, type InstanceProbe, RUNNABLE } from "../../platform/probe.ts"
import { type Finding, type Notes, notesOn } from "./finding.ts"
import {
  hasRows,
  judgeCount,
  judgeEmpty,
  judgeList,
  judgePair,
  judgeResolve,
  judgeStranger,
} from "./platform-access.ts"
import { judgeConfig } from "./platform-config.ts"
import { isSince, judgeInfo, judgeLatency, judgeSkew, type Nature, natureOf, withRoles } from "./platform-info.ts"
import { judgeIsolation, judgeUntold } from "./platform-isolation.ts"
import { type Resolver, resolverOf } from "./platform-resolver.ts"
import { lookAtResume } from "./platform-resume.ts"
import { askSessions, judgeSessions } from "./platform-sessions.ts"
import { type Credential, isSpent, judgeToken } from "./platform-token.ts"

/** An instance as the config has it; the credential that continues runs where there is one. */
export type Instance = Pick<
  Config["instances"][number],
  "name" | "url" | "token" | "resolving" | "pollMs" | "timeoutMs"
> & {
  readonly resumeToken?: string | undefined
  readonly way?: Config["instances"][number]["way"]
}

/** How many approvals of an instance this installation has open; null where Redis does not tell. */
export type OpenIn = (instance: string) => Promise<number | null>

/** Looks at an instance; nothing that is sent can resolve or run anything. `clock` is ours, epoch ms. */
export async function lookAtInstance(
  instance: Instance,
  clock: () => number,
  openIn: OpenIn = async () => null,
): Promise<readonly Finding[]> {
  const probe = createInstanceProbe(instance)
  try {
    const info = await probe.info()
    const told = [...judgeInfo(instance.name, info), ...judgeSkew(instance.name, info, clock())]
    if (info.kind === "none") return told
    const credential: Credential = {
      token: instance.token,
      uses: instance.resolving.kind === "same" ? ["read", "resolve"] : ["read"],
    }
    // The instance's own clock says what has expired there.
    const now = info.date ?? clock()
    const notes = notesOn(`platform ${instance.name}`)
    const offline = judgeToken(notes, credential, now)
    if (isSpent(credential, now)) return [...told, ...offline]
    const nature = await natureIn(probe, natureOf(info, instance.token))
    const resolver = await resolverOf(instance, { notes, clock })
    const isolation = judgeIsolation(notes, info, { nature, token: instance.token, resolver })
    return [
      ...told,
      ...offline,
      ...isolation,
      ...(await lookAtAccess(instance, { notes, probe, nature, resolver, openIn })),
    ]
  } finally {
    await probe.close()
  }
}

async function natureIn(probe: InstanceProbe, nature: Nature): Promise<Nature> {
  return nature.version === null || nature.mode !== "jwt" ? nature : withRoles(nature, await probe.roles())
}

/** What the further probes need. */
interface Looking {
  readonly notes: Notes
  readonly probe: InstanceProbe
  readonly nature: Nature
  readonly resolver: Resolver
  readonly openIn: OpenIn
}

async function lookAtAccess(instance: Instance, looking: Looking): Promise<readonly Finding[]> {
  const { notes, probe, nature } = looking
  const { token } = instance
  const count = await countOf(probe)
  const counted = judgeCount(notes, count, { nature, token })
  // 403 of the API is about one scope; whatever else is wrong is wrong for every call.
  const unscoped = count.kind === "answer" && count.status === 403 && count.body !== undefined
  if (counted.level !== "ok" && !unscoped) return [counted]
  const list = unscoped ? [] : await lookAtList(instance, looking, count)
  const resolved = await lookAtResolving(instance, looking)
  if (nature.mode === "none") return [counted, ...list, ...resolved]
  const config = await probe.config()
  const sessions = judgeSessions(
    notes,
    await askSessions(probe, config),
    list.every(({ level }) => level === "ok"),
  )
  const told = [...judgeConfig(notes, config, { token, nature }), ...sessions]
  return [counted, ...list, ...resolved, ...told, ...(await lookAtResuming(instance, notes))]
}

async function lookAtList(
  { name, token, timeoutMs }: Instance,
  { notes, probe, nature, openIn }: Looking,
  count: Asked,
): Promise<readonly Finding[]> {
  const first = await probe.first()
  const read = [
    judgeList(notes, first, { nature, token }),
    ...judgeLatency(notes, { asked: [count, first], timeoutMs }),
  ]
  // Only AgentOS is known to give a caller their own rows whomever they ask for.
  if (nature.version === null || nature.selfScoped) return read
  const mayBeAway = !isSince(nature.version, "3.1.0") && !hasRows(first)
  const empty = mayBeAway ? judgeEmpty(notes, await probe.newest(), await openIn(name)) : []
  return [
    ...read,
    ...empty,
    ...(hasRows(first) ? judgeStranger(notes, await probe.firstOfNobody()) : judgeUntold(notes, token, nature)),
  ]
}

/** Resolving and running with each credential that there is; one must never do both. */
async function lookAtResolving(instance: Instance, looking: Looking): Promise<readonly Finding[]> {
  const { notes, nature, resolver } = looking
  if (resolver.kind === "none") return resolver.findings
  const { token, own } = resolver
  const probe = own ? createInstanceProbe({ ...instance, token }) : looking.probe
  try {
    const resolve = await probe.resolveNothing()
    const judged = judgeResolve(notes, resolve, { nature, token, delegated: resolver.kind === "delegated" })
    if (nature.mode === "none") return [...resolver.findings, judged]
    // The token of one decision holds approvals:write alone; what may run beside it is the one that reads.
    const pairs = resolver.kind === "delegated" ? [] : [await lookAtPair(notes, probe, resolve)]
    const reader = own ? [await lookAtPair(notes, looking.probe, await looking.probe.resolveNothing())] : []
    return [...resolver.findings, judged, ...pairs, ...reader]
  } finally {
    if (own) await probe.close()
  }
}

async function lookAtPair(notes: Notes, probe: InstanceProbe, resolve: Asked): Promise<Finding> {
  const runs = await Promise.all(RUNNABLE.map(async (kind) => ({ kind, asked: await probe.continueNothing(kind) })))
  return judgePair(notes, { resolve, runs })
}

async function lookAtResuming(instance: Instance, notes: Notes): Promise<readonly Finding[]> {
  const { resumeToken: token } = instance
  if (token === undefined) return []
  const probe = createInstanceProbe({ ...instance, token })
  try {
    return await lookAtResume(notes, token, probe)
  } finally {
    await probe.close()
  }
}

/** AgentOS 2 answers 401 to a good service account while its database fails: one is asked again before it is believed. */
async function countOf(probe: InstanceProbe): Promise<Asked> {
  const first = await probe.count()
  return first.kind === "answer" && first.status === 401 ? probe.count() : first
}
