// The pane in front of a person: a channel, a thread beside it, the app's Home, a modal above all.
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react"
import type { SeenChannel } from "../user-actions/snapshot.ts"
import type { OpenView } from "../workspace/views.ts"
import { Blocks } from "./blocks/blocks.tsx"
import { CloseButton, Dialog } from "./blocks/dialog.tsx"
import { useForm } from "./blocks/form.ts"
import { Composer } from "./composer.tsx"
import { MessageRow } from "./message.tsx"
import { nameOf, usePage } from "./state/page-context.ts"

/** What each pane in front gets. */
export interface PaneProps {
  /** On a phone: shows the list of places. */
  readonly showPlaces: () => void
}

/** A channel or direct conversation: its messages, also those that only this person sees, and the command box. */
export function ChannelPane({ shown, showPlaces }: PaneProps & { readonly shown: SeenChannel }) {
  const { seen } = usePage()
  const { channel } = shown
  const whispers = seen.ephemerals.filter(({ channelId }) => channelId === channel.id)
  const entries = [...shown.messages, ...whispers.map((message) => ({ message, replies: undefined, whispered: true }))]
  const inOrder = entries.toSorted((a, b) => Number(a.message.ts) - Number(b.message.ts))
  const list = useEndInSight(`${channel.id} ${inOrder.at(-1)?.message.ts}`)
  const name = useNameOf(channel)
  const about = channel.kind === "im" ? "Direct messages" : `${channel.memberIds.length} members`
  return (
    <main className="pane" id="main" tabIndex={-1} aria-label={name}>
      <PaneHead title={name} about={about} showPlaces={showPlaces} />
      <div className="messages" ref={list} role="log" aria-label={`Messages in ${name}`} tabIndex={0}>
        {entries.length === 0 && <Empty>Nothing here yet. Messages appear as soon as they are posted.</Empty>}
        {inOrder.map((entry) => (
          <MessageRow key={entry.message.ts} {...entry} />
        ))}
      </div>
      <Composer key={channel.id} channel={channel.id} name={name} />
    </main>
  )
}

interface ThreadPaneProps {
  readonly channel: SeenChannel["channel"]
  readonly thread: SeenChannel["messages"][number]
}

/** The thread of a message. On a phone it covers its channel. Escape closes it; the focus begins at its title. */
export function ThreadPane({ channel, thread }: ThreadPaneProps) {
  const { openThread } = usePage()
  const { message, replies } = thread
  const pane = useRef<HTMLElement>(null)
  useEffect(() => pane.current?.querySelector("h1")?.focus(), [message.ts])
  const list = useEndInSight(`${message.ts} ${replies.length}`)
  const name = useNameOf(channel)
  const close = () => openThread("")
  return (
    <aside
      className="thread pane border-start"
      ref={pane}
      aria-label={`Thread in ${name}`}
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <PaneHead title="Thread" about={name}>
        <CloseButton label="Close thread" close={close} />
      </PaneHead>
      <div className="messages" ref={list}>
        <MessageRow message={message} />
        <p className="d-flex align-items-center gap-3 m-0 px-3 small text-body-secondary">
          {replies.length === 1 ? "1 reply" : `${replies.length} replies`}
          <span className="flex-fill border-top" />
        </p>
        {replies.map((reply) => (
          <MessageRow key={reply.ts} message={reply} />
        ))}
      </div>
    </aside>
  )
}

/** The app's Home tab as the app published it for this person, or the words that there is none. */
export function HomePane({ showPlaces }: PaneProps) {
  const { home, app } = usePage().seen
  const form = useForm(home ?? undefined)
  return (
    <main className="pane" id="main" tabIndex={-1} aria-label={`${app.name} Home`}>
      <PaneHead title={app.name} about="Home" showPlaces={showPlaces} />
      <div className="messages px-3">
        {home && <Blocks blocks={home.definition.blocks} place={home.id} form={form} />}
        {!home && <Empty>{app.name} has not published anything here yet.</Empty>}
      </div>
    </main>
  )
}

/** The person's topmost modal, with its form. */
export function Modal({ view }: { readonly view: OpenView }) {
  const { sandbox } = usePage()
  const form = useForm(view)
  const [busy, setBusy] = useState(false)
  const { definition } = view
  if (definition.type !== "modal") return null
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    await sandbox.submit(view.id, form.changed)
    setBusy(false)
  }
  const close = () => void sandbox.close(view.id)
  return (
    <Dialog
      title={definition.title.text}
      close={close}
      closeText={definition.close?.text ?? "Close"}
      submit={(event) => void submit(event)}
      action={
        definition.submit && (
          <button className="btn btn-success" aria-disabled={busy} aria-busy={busy}>
            {definition.submit.text}
          </button>
        )
      }
    >
      <Blocks blocks={definition.blocks} place={view.id} form={form} />
    </Dialog>
  )
}

interface PaneHeadProps {
  readonly title: string
  /** Smaller words beside the title. */
  readonly about: string
  /** Shows the list of places, on a phone. */
  readonly showPlaces?: () => void
  readonly children?: ReactNode
}

/** The line above a pane. It says who you are, but not twice: a thread says it where it covers its channel. */
export function PaneHead({ title, about, showPlaces, children }: PaneHeadProps) {
  const { seen } = usePage()
  return (
    <header className="pane-head d-flex align-items-center gap-2 px-3 border-bottom">
      {showPlaces && (
        <button type="button" className="btn fs-5 p-0 d-md-none" aria-label="Channels and people" onClick={showPlaces}>
          <span aria-hidden="true">☰</span>
        </button>
      )}
      <h1 className="m-0 fs-5 fw-bold text-nowrap" tabIndex={-1}>
        {title}
      </h1>
      <small className="text-truncate text-body-secondary">{about}</small>
      <small className={`flex-fill text-end text-nowrap text-body-secondary ${showPlaces ? "" : "d-lg-none"}`}>
        You are <b>{nameOf(seen, seen.me.id)}</b>
      </small>
      {children}
    </header>
  )
}

function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="p-5 text-center text-body-secondary">{children}</p>
}

function useNameOf(channel: SeenChannel["channel"]): string {
  const { app } = usePage().seen
  return channel.kind === "im" ? app.name : `#${channel.name}`
}

const nearPx = 120

/**
 * Keeps the end of a list in sight if something is added or the window changes, unless the reader has scrolled up. The
 * top of some messages stays in sight: of the last one, of the one to which a try or a link leads, and of the one in
 * which the reader pressed something. But a message that only the reader sees answers what they did: it always comes
 * into sight.
 */
function useEndInSight(newest: string) {
  const list = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const follow = () => {
    if (atEnd.current && list.current) list.current.scrollTo({ top: endOf(list.current) })
  }
  useLayoutEffect(() => {
    const node = list.current
    if (!node) return undefined
    const note = () => {
      atEnd.current = endOf(node) - node.scrollTop < nearPx
    }
    const resized = new ResizeObserver(follow)
    resized.observe(node)
    node.addEventListener("scroll", note, { passive: true })
    return () => {
      resized.disconnect()
      node.removeEventListener("scroll", note)
    }
  }, [])
  useLayoutEffect(() => {
    if (isWhisper(list.current?.lastElementChild ?? null)) atEnd.current = true
    follow()
  }, [newest])
  return list
}

/** How far from the top a list is scrolled when its end is in sight. */
function endOf(list: HTMLElement): number {
  const { top } = list.getBoundingClientRect()
  const wayTo = (message: Element) => message.getBoundingClientRect().top - top
  const newest = list.lastElementChild
  const kept = isWhisper(newest) ? [] : [...list.querySelectorAll(".led, .pointed")].map(wayTo)
  const pressed = isWhisper(newest) ? null : list.querySelector("article:focus-within")
  const ways = [
    ...(newest === null ? [0] : [wayTo(newest)]),
    ...kept.filter((way) => way >= -nearPx),
    ...(pressed === null || !isInSight(pressed, list) ? [] : [Math.max(0, wayTo(pressed))]),
  ]
  const way = ways.reduce((least, one) => Math.min(least, one))
  return Math.min(list.scrollHeight - list.clientHeight, list.scrollTop + way)
}

function isWhisper(message: Element | null): boolean {
  return message?.classList.contains("whispered") === true
}

function isInSight(message: Element, list: Element): boolean {
  const [one, around] = [message.getBoundingClientRect(), list.getBoundingClientRect()]
  return one.bottom > around.top && one.top < around.bottom
}
