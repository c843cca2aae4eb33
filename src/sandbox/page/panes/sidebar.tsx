// The list of places, and who you are.
import { useEffect, useRef } from "react"
import { HOME } from "../address.ts"
import { nameOf, useDesk } from "../page-context.ts"

interface SidebarProps {
  readonly at: string
  /** How many messages of a channel have come since it was last in front. */
  readonly unread: (channelId: string) => number
  readonly go: (at: string) => void
  readonly become: (personId: string) => void
  /** On a phone the list is hidden until it is asked for. */
  readonly shown: boolean
  readonly hide: () => void
}

/** Channels, direct messages and the app, each with what is new; below, the person. */
export function Sidebar({ at, unread, go, become, shown, hide }: SidebarProps) {
  const { seen } = useDesk()
  const cross = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (shown) cross.current?.focus()
  }, [shown])
  const rooms = seen.channels.filter(({ channel }) => channel.kind !== "im")
  const direct = seen.channels.filter(({ channel }) => channel.kind === "im")
  const place = (id: string, sign: string, name: string) => (
    <Place key={id} sign={sign} name={name} here={at === id} unread={unread(id)} go={() => go(id)} />
  )
  return (
    <nav
      className={shown ? "sidebar shown" : "sidebar"}
      aria-label="Workspace"
      onKeyDown={(event) => event.key === "Escape" && hide()}
    >
      <header>
        <b>{seen.team.name}</b>
        <small>A local Slack. Nothing leaves this machine.</small>
        <button ref={cross} type="button" className="cross" aria-label="Close list" onClick={hide}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      <h2>Channels</h2>
      <ul>{rooms.map(({ channel }) => place(channel.id, "#", channel.name))}</ul>
      <h2>Direct messages</h2>
      <ul>{direct.map(({ channel }) => place(channel.id, "✓", seen.app.name))}</ul>
      {direct.length === 0 && <p className="none">None yet</p>}
      <h2>Apps</h2>
      <ul>{place(HOME, "⌂", `${seen.app.name} Home`)}</ul>
      <Switcher become={become} />
    </nav>
  )
}

interface PlaceProps {
  readonly sign: string
  readonly name: string
  readonly here: boolean
  readonly unread: number
  readonly go: () => void
}

function Place({ sign, name, here, unread, go }: PlaceProps) {
  return (
    <li>
      <button type="button" className={unread > 0 ? "place new" : "place"} aria-current={here} onClick={go}>
        <span className="sign" aria-hidden="true">
          {sign}
        </span>
        <span className="name">{name}</span>
        {unread > 0 && (
          <span className="unread">
            {unread}
            <span className="heard"> new</span>
          </span>
        )}
      </button>
    </li>
  )
}

function Switcher({ become }: Pick<SidebarProps, "become">) {
  const { seen } = useDesk()
  const people = seen.people.filter((person) => !person.isBot && !person.deleted)
  return (
    <label className="switcher">
      You are
      <select value={seen.me.id} onChange={(event) => become(event.target.value)}>
        {people.map(({ id, title }) => (
          <option key={id} value={id}>
            {nameOf(seen, id)}
            {title === "" ? "" : ` · ${title}`}
          </option>
        ))}
      </select>
    </label>
  )
}
