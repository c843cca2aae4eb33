// The frame: the places at the side, the pane in front, the thread beside it, and over all of it the modal.
import { useState } from "react"
import { type Address, HOME } from "./address.ts"
import { Modal } from "./forms/modal.tsx"
import { type Complaint, Notices } from "./notices.tsx"
import { useDesk } from "./page-context.ts"
import { ChannelPane } from "./panes/channel-pane.tsx"
import { HomePane } from "./panes/home-pane.tsx"
import { Sidebar } from "./panes/sidebar.tsx"
import { ThreadPane } from "./panes/thread-pane.tsx"
import { useUnread } from "./unread.ts"

interface WorkspaceProps {
  readonly address: Address
  readonly move: (change: Partial<Address>) => void
  readonly reached: boolean
  readonly complaints: readonly Complaint[]
}

/** The workspace as one person has it in front of them. */
export function Workspace({ address, move, reached, complaints }: WorkspaceProps) {
  const { seen } = useDesk()
  const [listed, setListed] = useState(false)
  const unread = useUnread(seen, address.at)
  const shown = seen.channels.find(({ channel }) => channel.id === address.at)
  const thread = shown?.messages.find(({ message }) => message.ts === address.thread)
  const go = (at: string) => {
    move({ at })
    setListed(false)
  }
  const title = shown?.channel.kind === "im" ? seen.app.name : `#${shown?.channel.name}`
  const showPlaces = () => setListed(true)
  return (
    <div className={thread ? "frame threaded" : "frame"} data-person={seen.me.id}>
      {!reached && (
        <p className="lost" role="alert">
          The connection is lost. What you see may be old; trying again…
        </p>
      )}
      <Sidebar
        at={address.at}
        unread={unread}
        go={go}
        become={(person) => move({ person })}
        shown={listed}
        hide={() => setListed(false)}
      />
      {address.at === HOME && <HomePane showPlaces={showPlaces} />}
      {shown && <ChannelPane key={shown.channel.id} shown={shown} showPlaces={showPlaces} />}
      {thread && <ThreadPane thread={thread} name={title} />}
      {seen.view && <Modal key={seen.view.id} view={seen.view} />}
      <Notices complaints={complaints} />
    </div>
  )
}
