// The box for slash commands, with proposals that the keyboard reaches.
import { type KeyboardEvent, type SubmitEvent, useId, useRef, useState } from "react"
import { useDesk } from "../page-context.ts"
import { type Completion, completionsOf } from "./completions.ts"

/** The command box of a channel. */
export function Composer({ channel, name }: { readonly channel: string; readonly name: string }) {
  const { seen, acts } = useDesk()
  const [line, setLine] = useState("")
  const box = useRef<HTMLInputElement>(null)
  const list = useId()
  const { offered, active, setActive, hide, show } = useProposals(completionsOf(seen.app.commands, line))
  const type = (text: string) => {
    setLine(text)
    show()
  }
  const take = (completion: Completion) => {
    type(completion.line)
    box.current?.focus()
  }
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    hide()
    const text = line.trim()
    if (text === "") return
    setLine("")
    if (!(await acts.command(channel, text))) setLine((now) => (now === "" ? text : now))
  }
  const press = (event: KeyboardEvent) => {
    const chosen = offered[active]
    if (offered.length === 0) return
    if (event.key === "ArrowDown") setActive((active + 1) % offered.length)
    else if (event.key === "ArrowUp") setActive(active <= 0 ? offered.length - 1 : active - 1)
    else if (event.key === "Escape") hide()
    else if ((event.key === "Enter" || event.key === "Tab") && chosen) take(chosen)
    else return
    event.preventDefault()
  }
  return (
    <form className="composer" onSubmit={(event) => void send(event)}>
      {offered.length > 0 && <Proposals id={list} offered={offered} active={active} take={take} />}
      <input
        ref={box}
        role="combobox"
        aria-label={`Command in ${name}`}
        aria-expanded={offered.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={`Type / for a command in ${name}`}
        value={line}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
        onBlur={hide}
      />
      <button className="control primary" disabled={line.trim() === ""}>
        Send
      </button>
    </form>
  )
}

function useProposals(all: readonly Completion[]) {
  const [hidden, setHidden] = useState(true)
  const [active, setActive] = useState(-1)
  const offered = hidden ? [] : all
  return {
    offered,
    active: active < offered.length ? active : -1,
    setActive,
    hide: () => setHidden(true),
    show: () => {
      setHidden(false)
      setActive(-1)
    },
  }
}

interface ProposalsProps {
  readonly id: string
  readonly offered: readonly Completion[]
  readonly active: number
  readonly take: (completion: Completion) => void
}

function Proposals({ id, offered, active, take }: ProposalsProps) {
  return (
    <ul className="proposals" id={id} role="listbox" aria-label="Commands">
      {offered.map((completion, index) => (
        <li
          key={completion.label}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // Before the box loses the focus, which would hide the list.
          onMouseDown={(event) => {
            event.preventDefault()
            take(completion)
          }}
        >
          <b>{completion.label}</b> <small>{completion.about}</small>
        </li>
      ))}
    </ul>
  )
}
