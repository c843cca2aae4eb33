// The doctor on where cards go: it asks once about each channel or person, however many rules name it.
import { channelsIn, mayBeShared, routesIn } from "../../../domain/policy/channels.ts"
import type { Route, Rule } from "../../../domain/rule/rule.ts"
import type { ChannelFacts } from "../../../slack/directory/channels.ts"
import type { SlackProbe } from "../../../slack/probe.ts"
import { asking, type Finding, type Notes, notesOn } from "../finding.ts"
import { lookAtPerson } from "./person.ts"

/** Looks once at each place that gets messages, also at those of an escalation: else a fault would show only then. */
export async function lookAtRoutes(
  rules: readonly Rule[],
  auditChannel: string | null,
  probe: SlackProbe,
): Promise<readonly Finding[]> {
  const audit: readonly Route[] = auditChannel === null ? [] : [{ kind: "channel", id: auditChannel }]
  const routes = new Map([...audit, ...rules.flatMap(routesIn)].map((route) => [route.id, route]))
  const findings: Finding[] = []
  // One after the other: Slack allows 50 such calls a minute.
  for (const route of routes.values()) findings.push(await lookAtRoute(route, rules, probe))
  return findings
}

async function lookAtRoute({ kind, id }: Route, rules: readonly Rule[], probe: SlackProbe): Promise<Finding> {
  const notes = notesOn(`route ${id}`)
  const todo = "see what Slack says, and the scopes above"
  return asking(notes, { why: noCard, todo }, async () => {
    if (kind === "channel") return judgeChannel(notes, await probe.channel(id), sharingOf(rules, id))
    const { person, problem } = await lookAtPerson(probe, { team: probe.identity.team, user: id })
    if (problem === null) return notes.ok(`${person?.name ?? id} gets cards by direct message`)
    return notes.fail({ what: `the person ${problem}`, why: noCard, todo: "name another person, or a channel" })
  })
}

const noCard = "cards for this route cannot be posted, and nobody there is asked"

/** Whether another company may read what we post in a channel that is shared with it. */
type Sharing = "allowed" | "refused" | "audit"

function sharingOf(rules: readonly Rule[], channel: string): Sharing {
  if (!channelsIn(rules).has(channel)) return "audit"
  return mayBeShared(rules, channel) ? "allowed" : "refused"
}

function judgeChannel(notes: Notes, channel: ChannelFacts | null, sharing: Sharing): Finding {
  if (channel === null) {
    const what = "there is no such channel, or it is private and the bot is not in it"
    return notes.fail({ what, why: noCard, todo: inviteBot })
  }
  const name = `#${channel.name}`
  if (channel.archived)
    return notes.fail({ what: `${name} is archived`, why: noCard, todo: "unarchive it, or name another channel" })
  if (!channel.member) return notes.fail({ what: `the bot is not in ${name}`, why: noCard, todo: inviteBot })
  return channel.external ? judgeSharing(notes, name, sharing) : notes.ok(`the bot is in ${name}`)
}

function judgeSharing(notes: Notes, name: string, sharing: Sharing): Finding {
  const what = `${name} is shared with another company, or it was invited`
  switch (sharing) {
    case "allowed":
      return notes.ok(`the bot is in ${name}, whose people of another company read all that is asked there, as allowed`)
    case "refused": {
      const risk = "or accept with allow_shared_channel: true that they read the arguments of every call there"
      const todo = `name a channel that is not shared by Slack Connect, ${risk}`
      return notes.fail({ what, why: noCard, todo })
    }
    case "audit": {
      const why = "its people read how the ledger grows; no call stands in a checkpoint"
      return notes.warn({ what, why, todo: "name a channel that is not shared by Slack Connect" })
    }
  }
}

const inviteBot =
  "write /invite @countersign in that channel, or correct its id (Slack shows it at the end of its details)"

/** Where a test card goes: to the named channel (C…, G…) or person; if `asked` is true, to the first route. */
export function testRoute(asked: string | true, rules: readonly Rule[]): Route | null {
  if (asked === true) return rules[0]?.routes[0] ?? null
  return { kind: /^[CG]/.test(asked) ? "channel" : "person", id: asked }
}

/** Posts a test card, and says what to do with it. It is a kind of its own: nothing takes a press on it for a vote. */
export function postTestCard(probe: SlackProbe, route: Route, installation: string): Promise<Finding> {
  const notes = notesOn(`test card ${route.id}`)
  const why = "cards for this route cannot be posted either, and nobody there is asked"
  return asking(notes, { why, todo: "see what Slack says, and the findings on that route" }, async () => {
    await probe.postTestCard(route, installation)
    return notes.ok("it is posted: press its button while the bot runs, which then answers you")
  })
}
