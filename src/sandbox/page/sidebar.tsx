// The list of places with what is new in each, and who you are.
import { useEffect, useRef, useState } from "react"
import type { SeenChannel, Snapshot } from "../user-actions/snapshot.ts"
import { CloseButton } from "./blocks/dialog.tsx"
import { type Address, homePlace, triesPlace } from "./state/address.ts"
import { usePage } from "./state/page-context.ts"
import { PersonSwitch, ThemeSwitch } from "./switches.tsx"

interface SidebarProps {
  readonly token: string
  readonly at: string
  readonly move: (change: Partial<Address>) => void
  /** On a phone the list is hidden until the person opens it. */
  readonly shown: boolean
  readonly hide: () => void
}

/** Channels, direct messages and the app; below them, the person. */
export function Sidebar({ token, at, move, shown, hide }: SidebarProps) {
  const { seen } = usePage()
  const list = useRef<HTMLElement>(null)
  const unread = useUnread(seen, at)
  useEffect(() => {
    if (shown) list.current?.querySelector("button")?.focus()
  }, [shown])
  const ways = {
    at,
    unread,
    go: (id: string) => {
      move({ at: id })
      hide()
    },
  }
  const direct = seen.channels.filter(({ channel }) => channel.kind === "im")
  const rooms = seen.channels.filter((one) => !direct.includes(one))
  return (
    <nav
      ref={list}
      className={shown ? "sidebar pane shown" : "sidebar pane"}
      data-bs-theme="dark"
      aria-label="Workspace"
      onKeyDown={(event) => event.key === "Escape" && hide()}
    >
      <header className="d-flex align-items-start p-3 border-bottom">
        <div>
          <b className="fs-5 text-white">{seen.team.name}</b>
          <small className="d-block text-body-secondary">A local Slack. Nothing leaves this machine.</small>
        </div>
        <CloseButton label="Close list" close={hide} className="d-md-none" />
      </header>
      {seen.tour && (
        <>
          <Places title="Demo only" places={[{ id: triesPlace, sign: "▶", name: "Start here" }]} {...ways} />
          <AuditLink token={token} />
        </>
      )}
      <Places title="Channels" places={rooms.map(({ channel }) => ({ ...channel, sign: "#" }))} {...ways} />
      <Places
        title="Direct messages"
        places={direct.map(({ channel }) => ({ id: channel.id, sign: "✓", name: seen.app.name }))}
        {...ways}
      />
      {direct.length === 0 && <p className="m-0 px-3 small text-body-secondary">None yet</p>}
      <Places title="Apps" places={[{ id: homePlace, sign: "⌂", name: `${seen.app.name} Home` }]} {...ways} />
      <div className="mt-auto p-3 border-top d-grid gap-2">
        <small className="text-body-secondary">Demo only</small>
        <PersonSwitch become={(person) => move({ person })} />
        <ThemeSwitch />
      </div>
    </nav>
  )
}

interface PlacesProps {
  readonly title: string
  readonly places: readonly { readonly id: string; readonly sign: string; readonly name: string }[]
  readonly at: string
  readonly unread: (id: string) => number
  readonly go: (id: string) => void
}

function Places({ title, places, at, unread, go }: PlacesProps) {
  return (
    <>
      <h2 className="m-0 px-3 pt-3 pb-1 fs-6 fw-semibold text-body-secondary">{title}</h2>
      <ul className="nav nav-pills flex-column px-2">
        {places.map(({ id, sign, name }) => (
          <Place key={id} sign={sign} name={name} here={at === id} unread={unread(id)} go={() => go(id)} />
        ))}
      </ul>
    </>
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
  const look = `${here ? "active fw-semibold" : ""} ${unread > 0 ? "fw-bold" : ""}`
  return (
    <li>
      <button
        type="button"
        className={`nav-link w-100 d-flex align-items-center gap-2 ${look}`}
        aria-current={here}
        onClick={go}
      >
        <span aria-hidden="true">{sign}</span>
        <span className="text-truncate">{name}</span>
        {unread > 0 && (
          <span className="badge rounded-pill text-bg-danger ms-auto">
            {unread}
            <span className="visually-hidden"> new</span>
          </span>
        )}
      </button>
    </li>
  )
}

/** The address that leads to the auditor's page, signed in. */
export function auditAddress(token: string): string {
  return `/audit?${new URLSearchParams({ token }).toString()}`
}

/** The link to the page where auditors look at cases and their proof. It opens in its own tab, signed in. */
function AuditLink({ token }: { readonly token: string }) {
  return (
    <a
      className="nav-link d-flex align-items-center gap-2 mx-2 audit"
      href={auditAddress(token)}
      target="_blank"
      rel="noopener"
    >
      <span aria-hidden="true">↗</span> Auditor's page
    </a>
  )
}

/** Counts new messages by channel id. Messages from before the page was opened are read, and so is the channel `at`. */
function useUnread(seen: Snapshot, at: string): (channelId: string) => number {
  const [read, setRead] = useState<Readonly<Record<string, number>>>(() =>
    Object.fromEntries(seen.channels.map((one) => [one.channel.id, newest(one)])),
  )
  const front = seen.channels.find(({ channel }) => channel.id === at)
  const latest = front ? newest(front) : 0
  useEffect(() => setRead((before) => ({ ...before, [at]: latest })), [at, latest])
  return (channelId) => {
    const found = seen.channels.find(({ channel }) => channel.id === channelId)
    if (!found || channelId === at) return 0
    return found.messages.filter(({ message }) => Number(message.ts) > (read[channelId] ?? 0)).length
  }
}

function newest({ messages }: SeenChannel): number {
  return Number(messages.at(-1)?.message.ts ?? 0)
}
