// The doctor on one instance: the probes of `docs/platform-facts.md` 7, until one of them makes the others pointless.
import type { Config } from "../../../config.ts"
import { createInstanceProbe, type InstanceProbe, type ProbeAnswer, runnable } from "../../../platform/probe.ts"
import { type Finding, type Notes, notesOn } from "../finding.ts"
import {
  hasRows,
  judgeCount,
  judgeEmpty,
  judgeList,
  judgePair,
  judgeResolve,
  judgeStranger,
} from "./platform-access.ts"
import { askSessions, judgeConfig, judgeQuoting, judgeSessions } from "./platform-config.ts"
import {
  type InstanceTraits,
  isSince,
  judgeInfo,
  judgeLatency,
  judgeSkew,
  traitsOf,
  withRoles,
} from "./platform-info.ts"
import { judgeAccount, judgeIsolation, judgeUntold } from "./platform-isolation.ts"
import { judgePlace, lookAtResume, noWayToRuns } from "./platform-resume.ts"
import {
  type CheckedCredential,
  isOurGate,
  isSpent,
  judgeToken,
  judgeUpstream,
  type Resolver,
  resolverOf,
} from "./platform-token.ts"

/** An instance as in the config, with the credential that continues runs, if there is one. */
export type Instance = Pick<
  Config["instances"][number],
  "name" | "url" | "token" | "resolving" | "pollMs" | "timeoutMs"
> & {
  readonly resumeToken?: string | undefined
  /** Where runs are continued. Default: at `url`. */
  readonly resumeUrl?: string
  readonly resumeWay?: Config["instances"][number]["resumeWay"]
  /** The rules that want Details to quote what started a run. Default: none. */
  readonly quotingRules?: readonly string[]
  readonly way?: Config["instances"][number]["way"]
}

/** How many approvals of an instance this installation has open; null if Redis does not tell. */
export type OpenIn = (instance: string) => Promise<number | null>

/** Looks at an instance. Nothing that it sends can resolve or run anything. `clock` is our own clock, epoch ms. */
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
    const credential: CheckedCredential = {
      token: instance.token,
      uses: instance.resolving.kind === "same" ? ["read", "resolve"] : ["read"],
    }
    // The instance's own clock decides what has expired, so we go by it.
    const now = info.date ?? clock()
    const notes = notesOn(`platform ${instance.name}`)
    const offline = judgeToken(notes, credential, now)
    if (isSpent(credential, now)) return [...told, ...offline]
    const traits = await traitsIn(probe, traitsOf(info, instance.token))
    const resolver = await resolverOf(instance, { notes, clock })
    const isolation = judgeIsolation(notes, { traits, token: instance.token, resolver })
    const access = await lookAtAccess(instance, { notes, probe, info, traits, resolver, openIn, now })
    return [...told, ...offline, ...isolation, ...access]
  } finally {
    await probe.close()
  }
}

async function traitsIn(probe: InstanceProbe, traits: InstanceTraits): Promise<InstanceTraits> {
  return traits.version === null || traits.mode !== "jwt" ? traits : withRoles(traits, await probe.roles())
}

interface Probing {
  readonly notes: Notes
  readonly probe: InstanceProbe
  /** What the instance says of itself at `url`. */
  readonly info: ProbeAnswer
  readonly traits: InstanceTraits
  readonly resolver: Resolver
  readonly openIn: OpenIn
  /** The time by the instance's own clock, epoch ms. */
  readonly now: number
}

async function lookAtAccess(instance: Instance, probing: Probing): Promise<readonly Finding[]> {
  const { notes, probe, traits } = probing
  const { token } = instance
  const count = await countOf(probe)
  const counted = judgeCount(notes, count, { traits, token })
  const upstream = judgeUpstream(notes, count, traits)
  // A 403 of the API is about one scope; any other fault concerns every call.
  const unscoped = count.kind === "answer" && count.status === 403 && count.body !== undefined
  if (counted.level !== "ok" && !unscoped) return [counted]
  const list = unscoped ? [] : await lookAtList(instance, probing, count)
  const resolved = await lookAtResolving(instance, probing)
  const account = traits.selfScoped ? [judgeAccount(notes, await askForMore(probe), traits)] : []
  const judged = [counted, ...upstream, ...list, ...resolved, ...account]
  if (traits.mode === "none") return judged
  const config = await probe.config()
  const isWell = list.every(({ level }) => level === "ok")
  const asked = await askSessions(probe, config)
  const sessions = [...judgeSessions(notes, asked, isWell), ...judgeQuoting(notes, asked, instance.quotingRules ?? [])]
  const told = [...judgeConfig(notes, config, { token, traits }), ...sessions]
  return [...judged, ...told, ...(await lookAtResuming(instance, probing, isOurGate(count)))]
}

async function lookAtList(
  { name, token, timeoutMs }: Instance,
  { notes, probe, traits, openIn }: Probing,
  count: ProbeAnswer,
): Promise<readonly Finding[]> {
  const first = await probe.first()
  const read = [
    judgeList(notes, first, { traits, token }),
    ...judgeLatency(notes, { asked: [count, first], timeoutMs }),
  ]
  // We know only of AgentOS that it gives callers their own rows, even if they ask for somebody else's.
  if (traits.version === null || traits.selfScoped) return read
  const mayBeAway = !isSince(traits.version, "3.1.0") && !hasRows(first)
  const empty = mayBeAway ? judgeEmpty(notes, await probe.newest(), await openIn(name)) : []
  return [
    ...read,
    ...empty,
    ...(hasRows(first) ? judgeStranger(notes, await probe.firstOfNobody()) : judgeUntold(notes, token, traits)),
  ]
}

/** Tries to resolve and to run, with each credential that there is; none may do both. */
async function lookAtResolving(instance: Instance, probing: Probing): Promise<readonly Finding[]> {
  const { notes, traits, resolver } = probing
  if (resolver.kind === "none") return resolver.findings
  const { token, own } = resolver
  const probe = own ? createInstanceProbe({ ...instance, token }) : probing.probe
  try {
    const resolve = await probe.resolveNothing()
    const judged = judgeResolve(notes, resolve, { traits, token, delegated: resolver.kind === "delegated" })
    if (traits.mode === "none") return [...resolver.findings, judged]
    // The token of a single decision holds only approvals:write. But the token that reads might run something.
    const pairs = resolver.kind === "delegated" ? [] : [await lookAtPair(probing, probe, resolve)]
    const reader = own ? [await lookAtPair(probing, probing.probe, await probing.probe.resolveNothing())] : []
    return [...resolver.findings, judged, ...pairs, ...reader]
  } finally {
    if (own) await probe.close()
  }
}

/** Calls that an admin may make, and hardly anybody else. */
function askForMore(probe: InstanceProbe): Promise<readonly ProbeAnswer[]> {
  return Promise.all([probe.config(), ...runnable.map((kind) => probe.continueNothing(kind))])
}

async function lookAtPair(
  { notes, traits }: Pick<Probing, "notes" | "traits">,
  probe: InstanceProbe,
  resolve: ProbeAnswer,
): Promise<Finding> {
  const runs = await Promise.all(runnable.map(async (kind) => ({ kind, asked: await probe.continueNothing(kind) })))
  return judgePair(notes, resolve, runs, traits)
}

/** Tries the credential that continues runs, where they are continued. `gated`: our gate stands at `url`. */
async function lookAtResuming(instance: Instance, probing: Probing, gated: boolean): Promise<readonly Finding[]> {
  const { resumeToken: token, url, resumeUrl, way, resumeWay } = instance
  const { notes, traits, now } = probing
  if (token === undefined) return []
  if (resumeUrl === undefined && gated) return [noWayToRuns(notes)]
  const probe = createInstanceProbe({ ...instance, url: resumeUrl ?? url, way: resumeUrl ? resumeWay : way, token })
  try {
    if (resumeUrl === undefined) return await lookAtResume({ notes, probe, traits, token, now })
    const there = await probe.info()
    const place = judgePlace(notes, { resumeUrl, here: probing.info, there })
    if (there.kind === "none" || place.level === "fail") return [place]
    const own = await traitsIn(probe, traitsOf(there, token))
    return [place, ...(await lookAtResume({ notes, probe, traits: own, token, now: there.date ?? now }))]
  } finally {
    await probe.close()
  }
}

/** Asks for the count; after a 401 once more: AgentOS 2 refuses good service accounts while its database fails. */
async function countOf(probe: InstanceProbe): Promise<ProbeAnswer> {
  const first = await probe.count()
  return first.kind === "answer" && first.status === 401 ? probe.count() : first
}
