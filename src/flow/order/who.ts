// Who may stop, and who may end a stop (R21). Judged as the act is made.
import { withRaisedRules } from "../../domain/limit/limit.ts"
import type { Stop } from "../../domain/order/stop.ts"
import { humanKey } from "../../domain/people/human.ts"
import { isSameOrderer, ordererOf } from "../../domain/people/orderer.ts"
import { type Person, personKey, type SlackId, slackIdOf } from "../../domain/people/person.ts"
import { isRequester } from "../../domain/people/requester.ts"
import type { Approver } from "../../domain/rule/rule.ts"
import { outsideness } from "../case/orders.ts"
import { freshMs, type JudgePorts, keysOf } from "../people/eligibility.ts"
import type { NotAllowed, Ports } from "../ports.ts"

/** What the judgement reads. */
export type WhoPorts = JudgePorts & Pick<Ports, "stopRoles" | "store">

/** Whether somebody may, and who they are; or why not. */
export type MayOrder = { readonly ok: true; readonly person: Person } | { readonly ok: false; readonly why: NotAllowed }

/** For how long whoever stopped may take that back, in ms. */
const takeBackMs = 10 * 60_000

/**
 * Judges whether somebody may stop: whom `stop.by` lists, else every approver of any rule. If Slack does not answer,
 * what it said in the last day counts: the one exception to R5. Throws a `PortError` if Slack has said nothing.
 */
export async function judgeStopper(given: WhoPorts, id: SlackId): Promise<MayOrder> {
  const ports = { ...given, people: given.people.lately }
  const person = await ports.people.look(id, freshMs)
  const why = outsideness(person)
  if (why !== null) return { ok: false, why }
  return (await isListed(ports, stoppers(given), person)) ? { ok: true, person } : { ok: false, why: "not-listed" }
}

/** A stop that somebody wants to end, and who asked for what is under it, as the platform names them. */
export interface ToEnd {
  readonly stop: Stop
  readonly requesters: readonly string[]
}

/** Judges whether somebody may end a stop. Throws a `PortError` if Slack does not say who they are. */
export async function judgeEnder(ports: WhoPorts, id: SlackId, { stop, requesters }: ToEnd): Promise<MayOrder> {
  const person = await ports.people.look(id, freshMs)
  const shut = outsideness(person)
  if (shut !== null) return { ok: false, why: shut }
  const allowed = { ok: true, person } as const
  if (isSameOrderer(stop.by, ordererOf(person)) && (await isFresh(ports, stop))) return allowed
  const lifters = liftersOf(ports)
  if (!(await isListed(ports, lifters, person))) return { ok: false, why: "not-listed" }
  if (stop.by.kind === "caller" || (await isOnlyOne(ports, lifters))) return allowed
  const { identities } = ports.policy
  const own = stop.by.kind === "person" && humanKey(stop.by, identities) === humanKey(person, identities)
  if (own) return { ok: false, why: "own" }
  const asked = requesters.some((userId) => isRequester(userId, person, identities))
  return asked ? { ok: false, why: "requester" } : allowed
}

/** True if a stop is so young that whoever made it may take it back, by the clocks of process and Redis. */
async function isFresh({ clock, store }: WhoPorts, { at }: Stop): Promise<boolean> {
  const shared = (await store.sharedClock())()
  return Math.max(clock(), shared) <= at + takeBackMs
}

function stoppers({ stopRoles, policy }: Pick<WhoPorts, "stopRoles" | "policy">): readonly Approver[] {
  if (stopRoles.by.length > 0) return stopRoles.by
  return withRaisedRules(policy.rules).flatMap(({ approvers }) => approvers)
}

function liftersOf(ports: Pick<WhoPorts, "stopRoles" | "policy">): readonly Approver[] {
  return ports.stopRoles.liftBy.length > 0 ? ports.stopRoles.liftBy : stoppers(ports)
}

type ListPorts = Omit<WhoPorts, "people"> & { readonly people: Ports["people"]["lately"] }

/** True if one of these approvers is the person. Throws if none is, and Slack did not tell of one of them. */
async function isListed(ports: ListPorts, approvers: readonly Approver[], person: Person): Promise<boolean> {
  const key = personKey(person)
  const asked = await Promise.allSettled(approvers.map((one) => keysOfOne(ports, one)))
  if (asked.some((one) => one.status === "fulfilled" && one.value.includes(key))) return true
  for (const one of asked) if (one.status === "rejected") throw one.reason
  return false
}

/** Whom an approver stands for. An address that means two people stands for nobody (R7). */
async function keysOfOne(ports: ListPorts, approver: Approver): Promise<readonly string[]> {
  const conflicts = new Map<string, string>()
  const keys = await keysOf(ports, approver, conflicts)
  return keys.filter((key) => !conflicts.has(key))
}

/** True if the config names one human and no group: else nobody could ever end what that one stopped. */
async function isOnlyOne(
  ports: ListPorts & Pick<WhoPorts, "policy">,
  approvers: readonly Approver[],
): Promise<boolean> {
  if (approvers.some(({ kind }) => kind === "group")) return false
  const named = await Promise.all(approvers.map((one) => keysOfOne(ports, one)))
  if (named.some((keys) => keys.length === 0)) return false
  return new Set(named.flat().map((key) => humanKey(slackIdOf(key), ports.policy.identities))).size === 1
}
