// The whole page: it follows what one person sees, and puts the places, the pane in front, the thread and the modal together.
import { useCallback, useEffect, useMemo, useState } from "react"
import type { Snapshot } from "../user-actions/snapshot.ts"
import { type Address, HOME, readAddress, writeAddress } from "./address.ts"
import { useLive } from "./live.ts"
import type { Complaint } from "./notices.tsx"
import { DeskContext } from "./page-context.ts"
import { createActs } from "./sandbox-client.ts"
import { Workspace } from "./workspace.tsx"

/** The page of one browser window. */
export function App() {
  const [address, move] = useAddress()
  const { seen, reached } = useLive(address.token, address.person)
  const [complaints, setComplaints] = useState<readonly Complaint[]>([])
  const { token } = address
  const person = seen?.me.id ?? address.person
  const acts = useMemo(() => {
    const complain = (text: string) => setComplaints((before) => [...before, { id: `page ${before.length}`, text }])
    return createActs({ token, person, complain })
  }, [token, person])
  const ways = useMemo(() => {
    return {
      openThread: (thread: string) => move({ thread }),
      openMessage: (at: string, thread: string) => move({ at, thread }),
    }
  }, [move])
  useEffect(() => {
    if (address.at === HOME && person !== "") void acts.openHome()
  }, [acts, person, address.at])
  if (!seen) return <p className="waiting">{reached ? "Opening the workspace…" : "The sandbox cannot be reached."}</p>
  return (
    <DeskContext value={{ seen, acts, ...ways }}>
      <Workspace key={person} address={settled(address, seen)} move={move} reached={reached} complaints={complaints} />
    </DeskContext>
  )
}

/** The address bar as state. Going to another place closes the thread. */
function useAddress(): readonly [Address, (change: Partial<Address>) => void] {
  const [address, setAddress] = useState<Address>(() => readAddress(location.search))
  const move = useCallback((change: Partial<Address>) => {
    setAddress((before) => ({ ...before, thread: "", ...change }))
  }, [])
  useEffect(() => history.replaceState(null, "", writeAddress(address)), [address])
  return [address, move]
}

/** A place that this person does not have is replaced by their first channel. */
function settled(address: Address, seen: Snapshot): Address {
  const known = address.at === HOME || seen.channels.some(({ channel }) => channel.id === address.at)
  return known ? address : { ...address, at: seen.channels[0]?.channel.id ?? HOME, thread: "" }
}
