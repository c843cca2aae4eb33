// The box for slash commands, with proposals that the keyboard reaches.
import { type SubmitEvent, useId, useState } from "react"
import { type Completion, completionsOf, useCompletions } from "./completions.ts"
import { usePage } from "./state/page-context.ts"

/** The command box of a channel. */
export function Composer({ channel, name }: { readonly channel: string; readonly name: string }) {
  const { seen, sandbox } = usePage()
  const [line, setLine] = useState("")
  const type = (text: string) => {
    setLine(text)
    show()
  }
  const { offered, active, onKey, hide, show } = useCompletions(completionsOf(seen.app.commands, line), type)
  const list = useId()
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    hide()
    const text = line.trim()
    if (text === "") return
    setLine("")
    if (!(await sandbox.command(channel, text))) setLine((now) => (now === "" ? text : now))
  }
  return (
    <form className="position-relative m-3 mt-0" onSubmit={(event) => void send(event)}>
      {offered.length > 0 && <Proposals id={list} offered={offered} active={active} take={type} />}
      <div className="input-group">
        <input
          className="form-control py-2"
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
          onKeyDown={onKey}
          onBlur={hide}
        />
        <button className="btn btn-success px-3" disabled={line.trim() === ""}>
          Send
        </button>
      </div>
    </form>
  )
}

interface ProposalsProps {
  readonly id: string
  readonly offered: readonly Completion[]
  readonly active: number
  readonly take: (line: string) => void
}

function Proposals({ id, offered, active, take }: ProposalsProps) {
  return (
    <ul className="dropdown-menu show bottom-100 w-100 mb-1 shadow" id={id} role="listbox" aria-label="Commands">
      {offered.map(({ line, label, about }, index) => (
        <li
          key={label}
          id={`${id}-${index}`}
          className={index === active ? "dropdown-item text-wrap active" : "dropdown-item text-wrap"}
          role="option"
          aria-selected={index === active}
          // Else the box would lose the focus first, which hides the list.
          onMouseDown={(event) => {
            event.preventDefault()
            take(line)
          }}
        >
          <b className="font-monospace">{label}</b> <small>{about}</small>
        </li>
      ))}
    </ul>
  )
}
