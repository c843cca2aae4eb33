// countersign people: shows and changes which person an address means (R7), and erases the data about a person.
import { userInfo } from "node:os"
import type { Config } from "../../config.ts"
import { foldName, personKey, type SlackId } from "../../domain/people/person.ts"
import type { Operator } from "../../store/identity/identity-links.ts"
import { askSlack } from "../installation/ask-slack.ts"
import { type Opened, withStore } from "../installation/opened-store.ts"
import { type Watched, withWatchedStore } from "../installation/watched-store.ts"
import { CommandError, type Terminal } from "../terminal.ts"
import { erasureWords, linkWords, listedIn } from "./people-words.ts"

/** Prints every identity link, as text or as JSON. */
export async function peopleList(terminal: Terminal, { json }: { readonly json: boolean }): Promise<void> {
  const links = await withInstallation(terminal, ({ store }) => store.identityLinks.list())
  if (json) return terminal.out(JSON.stringify(links, null, 2))
  if (links.length === 0) return terminal.out("no address is pinned: each one is when it is first met in a rule")
  for (const line of links.flatMap(linkWords)) terminal.out(line)
}

/** Links an address to the person that the operator names. Throws `CommandError` if Slack names another. */
export async function peopleLink(terminal: Terminal, email: string, id: string): Promise<void> {
  await withWatchedInstallation(terminal, async (opened) => {
    const to = await personToLink(terminal, opened, { email: addressOf(email), id })
    await opened.store.identityLinks.link(addressOf(email), to, operatorOf(opened))
    await opened.keep()
    terminal.out(`${addressOf(email)} means ${personKey(to)} from now on`)
  })
}

/** Removes the link of an address. Throws `CommandError` if it had none. */
export async function peopleUnlink(terminal: Terminal, email: string): Promise<void> {
  await withWatchedInstallation(terminal, async (opened) => {
    const done = await opened.store.identityLinks.unlink(addressOf(email), operatorOf(opened))
    if (done) await opened.keep()
    if (!done) throw new CommandError(`${email} is not pinned: countersign people list shows what is`)
    terminal.out(`${addressOf(email)} is pinned to nobody; it is pinned anew when it is next met in a rule`)
  })
}

/**
 * Erases a person. What is on hold is remembered, and erased when it is on hold no more. Exit code 1 if a case has to
 * wait. Throws `CommandError` for an unknown person.
 */
export async function peopleErase(
  terminal: Terminal,
  text: string,
  { also }: { readonly also: readonly string[] },
): Promise<void> {
  await withWatchedInstallation(terminal, async (opened) => {
    const found = await findPerson(opened, text)
    const { config } = opened.context
    const names = [...found.names, ...also, ...subjectsOf(config, found.person)]
    const erasure = await opened.store.erase({ person: found.person, names, ...operatorOf(opened) })
    for (const line of erasureWords(found.person, erasure)) terminal.out(line)
    for (const line of listedIn(config, { ...found, names })) terminal.out(line)
    if (erasure.left.some(({ why }) => why === "on-hold")) await opened.keep()
    if (erasure.left.length + erasure.unread > 0) process.exitCode = 1
  })
}

/** Opens the store of an installation that exists and is ours: we write nothing into another one. */
async function withInstallation<Result>(
  terminal: Terminal,
  command: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  return withStore(terminal, async (opened) => command(await ofOurs(opened)), "all")
}

/** Opens a store for a change that grants or takes something away. Refuses a Redis that is older than we know. */
async function withWatchedInstallation(
  terminal: Terminal,
  command: (watched: Watched) => Promise<void>,
): Promise<void> {
  // This comes first, because we know nothing of an installation that does not exist.
  await withInstallation(terminal, async () => undefined)
  await withWatchedStore(terminal, command, { need: "all" })
}

async function ofOurs(opened: Opened): Promise<Opened> {
  const { installation } = opened.context.config
  if ((await opened.store.check()) === "ours") return opened
  throw new CommandError(`there is no installation ${installation} in this Redis yet: the first start makes it`)
}

function operatorOf({ context }: Opened): Operator {
  return { by: userInfo().username, at: context.clock() }
}

function addressOf(email: string): string {
  if (/^[^\s@<>,]+@[^\s@<>,]+$/.test(email)) return email.toLowerCase()
  throw new CommandError(`${email} is no e-mail address`)
}

/** Asks Slack whom the address means: the bot would refuse another link. If we cannot ask, believes the operator. */
async function personToLink(
  terminal: Terminal,
  { context }: Opened,
  { email, id }: { readonly email: string; readonly id: string },
): Promise<SlackId> {
  const [, team, user] = /^(?:([TE][A-Z0-9]+):)?([UW][A-Z0-9]+)$/.exec(id) ?? []
  if (user === undefined) throw new CommandError(`${id} is no Slack id: those are T…:U…, or U… in our own workspace`)
  const slack = await askSlack(context)
  if ("why" in slack) {
    if (team === undefined) throw new CommandError(`name the workspace too (T…:${user}): ${slack.why}`)
    terminal.err(`note: Slack was not asked whom ${email} means: ${slack.why}`)
    return { team, user }
  }
  const wanted = { team: team ?? slack.identity.team, user }
  const now = await slack.byEmail(email)
  if (now !== null && personKey(now) === personKey(wanted)) return wanted
  const says = now === null ? "nobody active" : personKey(now)
  throw new CommandError(`Slack says that ${email} means ${says}, not ${personKey(wanted)}: the bot would refuse it`)
}

/**
 * Finds a person (`team:user`) by `T…:U…`, or by an address that an identity link or the ledger knows. `names`: the
 * address, if we found the person by it. Throws `CommandError`.
 */
async function findPerson(opened: Opened, text: string) {
  if (/^[TE][A-Z0-9]+:[UW][A-Z0-9]+$/.test(text)) return { person: text, names: [] }
  if (!text.includes("@")) throw new CommandError(`${text} is neither a person's id (T…:U…) nor an address`)
  const known = await knownBy(opened, foldName(text))
  const [person, ...others] = known
  if (person === undefined) throw new CommandError(`the ledger knows nobody by ${text}: name their id (T…:U…)`)
  if (others.length > 0) throw new CommandError(`${text} was ${known.join(" and ")}: name the one you mean by id`)
  return { person, names: [text] }
}

async function knownBy({ store }: Opened, name: string): Promise<readonly string[]> {
  const links = (await store.identityLinks.list()).filter((link) => foldName(link.email) === name)
  const people = new Set(links.map((link) => personKey(link.person)))
  for await (const { erasable } of store.entries(0)) {
    if (erasable?.kind !== "kept" || erasable.person === null) continue
    const { subject, email } = erasable.text
    if ([subject, email].some((one) => foldName(one ?? "") === name)) people.add(erasable.person)
  }
  return [...people]
}

/** The names under which the config's identities know a person. */
function subjectsOf({ identities }: Pick<Config, "identities">, person: string): readonly string[] {
  return identities.filter((one) => personKey(one) === person).map(({ subject }) => subject)
}
