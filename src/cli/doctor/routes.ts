// The doctor on where cards go: each route's channel or person, asked once however many rules name it.
import type { Route, Rule } from "../../domain/policy.ts"
import type { ChannelFacts, SlackProbe } from "../../slack/probe.ts"
import { asking, type Finding, type Notes, notesOn } from "./finding.ts"
import { lookAtPerson } from "./person.ts"

/** Looks at every place that gets messages, each once. */
export async function lookAtRoutes(all: readonly Route[], probe: SlackProbe): Promise<readonly Finding[]> {
  const routes = new Map(all.map((route) => [route.id, route]))
  const findings: Finding[] = []
  // One after the other: Slack allows 50 such calls a minute.
  for (const route of routes.values()) findings.push(await lookAtRoute(route, probe))
  return findings
}

/** The routes of a rule, those of its escalation too: it must not be the first to find out. */
export function routesOf({ routes, timing }: Rule): readonly Route[] {
  return [...routes, ...(timing?.escalateTo.routes ?? [])]
}

async function lookAtRoute({ kind, id }: Route, probe: SlackProbe): Promise<Finding> {
  const notes = notesOn(`route ${id}`)
  const todo = "see what Slack says, and the scopes above"
  return asking(notes, { why: NO_CARD, todo }, async () => {
    if (kind === "channel") return judgeChannel(notes, await probe.channel(id))
    const { person, problem } = await lookAtPerson(probe, { team: probe.identity.team, user: id })
    if (problem === null) return notes.ok(`${person?.name ?? id} gets cards by direct message`)
    return notes.fail({ what: `the person ${problem}`, why: NO_CARD, todo: "name another person, or a channel" })
  })
}

const NO_CARD = "cards for this route cannot be posted, and nobody there is asked"

function judgeChannel(notes: Notes, channel: ChannelFacts | null): Finding {
  if (channel === null) {
    const what = "there is no such channel, or it is private and the bot is not in it"
    return notes.fail({ what, why: NO_CARD, todo: INVITE })
  }
  const name = `#${channel.name}`
  if (channel.archived)
    return notes.fail({ what: `${name} is archived`, why: NO_CARD, todo: "unarchive it, or name another channel" })
  if (!channel.member) return notes.fail({ what: `the bot is not in ${name}`, why: NO_CARD, todo: INVITE })
  if (!channel.external) return notes.ok(`the bot is in ${name}`)
  return notes.fail({
    what: `${name} is shared with another organization`,
    why: "its people read the arguments of every call that is asked about there",
    todo: "name a channel that is not shared by Slack Connect",
  })
}

const INVITE =
  "write /invite @countersign in that channel, or correct its id (Slack shows it at the end of its details)"
