// The whole page: follows what one person sees, and draws the list of places, the pane in front, thread and modal.
import { useCallback, useEffect, useMemo, useState } from "react"
import type { Snapshot } from "../user-actions/snapshot.ts"
import { CloseButton } from "./blocks/dialog.tsx"
import { ChannelPane, HomePane, Modal, ThreadPane } from "./panes.tsx"
import { Sidebar } from "./sidebar.tsx"
import {
  type Address,
  firstAddress,
  homePlace,
  keepPerson,
  type MessageLink,
  triesPlace,
  writeAddress,
} from "./state/address.ts"
import { type MessagePlace, PageContext, usePage } from "./state/page-context.ts"
import { createSandboxClient, useLive } from "./state/sandbox-client.ts"
import { useTries } from "./state/try-state.ts"
import { TryBar, TryPane } from "./tries.tsx"

/** The page of one browser window. */
export function App() {
  const [address, move] = useAddress()
  const [pointed, point] = useState<MessagePlace>(() => ({ channel: address.at, ts: address.message }))
  const { seen, reached } = useLive(address.token, address.person)
  const [complaints, setComplaints] = useState<readonly PageNotice[]>([])
  const { token } = address
  const person = seen?.me.id ?? address.person
  const shared = useMemo(() => {
    const complain = (text: string) => setComplaints((before) => [...before, { id: `page ${before.length}`, text }])
    return {
      sandbox: createSandboxClient({ token, person, complain }),
      openThread: (thread: string) => move({ thread }),
      openMessage: ({ channel, ts, thread }: MessageLink) => {
        move({ at: channel, thread, message: ts })
        point({ channel, ts })
      },
    }
  }, [token, person, move])
  const tries = useTries(seen, shared.sandbox, move)
  useEffect(() => {
    if (address.at === homePlace && person !== "") void shared.sandbox.openHome()
  }, [shared, person, address.at])
  if (!seen) {
    const text = reached ? "Opening the workspace…" : "The sandbox cannot be reached."
    return <p className="p-5 text-center text-body-secondary">{text}</p>
  }
  return (
    <PageContext value={{ seen, tries, pointed: address.message === "" ? undefined : pointed, ...shared }}>
      <Workspace key={person} address={settled(address, seen)} move={move} reached={reached} complaints={complaints} />
    </PageContext>
  )
}

/** The address bar as state. If somebody goes to another place, the thread closes, and no message is pointed at. */
function useAddress(): readonly [Address, (change: Partial<Address>) => void] {
  const [address, setAddress] = useState<Address>(() => firstAddress(location.search))
  const move = useCallback((change: Partial<Address>) => {
    setAddress((before) => ({ ...before, thread: "", message: "", ...change }))
  }, [])
  useEffect(() => {
    history.replaceState(null, "", writeAddress(address))
    keepPerson(address.person)
  }, [address])
  return [address, move]
}

/** The address; if this person has no such place, the address of the tries or of the first channel. */
function settled(address: Address, seen: Snapshot): Address {
  const ways = [...(seen.tour ? [triesPlace] : []), ...seen.channels.map(({ channel }) => channel.id), homePlace]
  return ways.includes(address.at) ? address : { ...address, at: ways[0] ?? homePlace, thread: "" }
}

interface WorkspaceProps {
  readonly address: Address
  readonly move: (change: Partial<Address>) => void
  readonly reached: boolean
  readonly complaints: readonly PageNotice[]
}

/** The workspace as one person has it in front of them. */
function Workspace({ address, move, reached, complaints }: WorkspaceProps) {
  const { seen } = usePage()
  const [listed, setListed] = useState(false)
  const shown = seen.channels.find(({ channel }) => channel.id === address.at)
  const thread = shown?.messages.find(({ message }) => message.ts === address.thread)
  const showPlaces = () => setListed(true)
  return (
    <div className="frame" data-person={seen.me.id}>
      <a className="skip visually-hidden-focusable" href="#main">
        Skip the list of places
      </a>
      {!reached && (
        <p className="lost m-0 p-2 text-center bg-warning-subtle text-warning-emphasis" role="alert">
          The connection is lost. What you see may be old; trying again…
        </p>
      )}
      <Sidebar token={address.token} at={address.at} move={move} shown={listed} hide={() => setListed(false)} />
      {address.at !== triesPlace && <TryBar showTries={() => move({ at: triesPlace })} />}
      {address.at === triesPlace && <TryPane token={address.token} showPlaces={showPlaces} />}
      {address.at === homePlace && <HomePane showPlaces={showPlaces} />}
      {shown && <ChannelPane key={shown.channel.id} shown={shown} showPlaces={showPlaces} />}
      {shown && thread && <ThreadPane channel={shown.channel} thread={thread} />}
      {seen.view && <Modal key={seen.view.id} view={seen.view} />}
      <Notices complaints={complaints} />
    </div>
  )
}

/** A note of the page itself. */
interface PageNotice {
  readonly id: string
  readonly text: string
}

const maxShown = 3

/** The newest of Slack's notices since the page was opened, and the page's own notes. Each stays until dismissed. */
function Notices({ complaints }: { readonly complaints: readonly PageNotice[] }) {
  const { seen } = usePage()
  const [gone, setGone] = useState<ReadonlySet<string>>(() => new Set(seen.notices.map(({ ts }) => ts)))
  const slacks = seen.notices.map(({ ts, text }) => ({ id: ts, text }))
  const shown = [...slacks, ...complaints].filter(({ id }) => !gone.has(id)).slice(-maxShown)
  return (
    <div className="notices position-fixed end-0 bottom-0 z-3 px-3" role="alert">
      {shown.map(({ id, text }) => (
        <p key={id} className="alert alert-warning d-flex gap-2 py-2 pe-2 mb-2 shadow">
          {text}
          <CloseButton label="Dismiss" close={() => setGone((before) => new Set([...before, id]))} />
        </p>
      ))}
    </div>
  )
}
