// Draws rich_text, mrkdwn, tables and Markdown, with this workspace's names and the reader's own time.
import { get as emojiOf } from "node-emoji"
import type { MouseEvent, ReactNode } from "react"
import Markdown, { type Components } from "react-markdown"
import remarkGfm from "remark-gfm"
import type { Block } from "../../../blockkit/blocks.ts"
import type { RichInline, RichPart } from "../../../blockkit/rich-text.ts"
import type { MessageLink } from "../state/address.ts"
import { nameOf, usePage } from "../state/page-context.ts"
import { fullTime, writeDate } from "./dates.ts"
import { partsOf, type TextObject } from "./mrkdwn.ts"

/** A text object as Slack shows it. */
export function Text({ text }: { readonly text: TextObject }) {
  return <Parts parts={partsOf(text)} />
}

/** The parts of a rich_text block, one below the other: words wrap, spaces stay as they are, nothing is cut. */
export function Parts({ parts }: { readonly parts: readonly RichPart[] }) {
  return (
    <div className="words">
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </div>
  )
}

function Part({ part }: { readonly part: RichPart }) {
  switch (part.type) {
    case "rich_text_section":
      return <div>{part.elements.map(inline)}</div>
    case "rich_text_preformatted":
      return <pre className="my-1 px-3 py-2 border rounded-2 bg-body-tertiary">{part.elements.map(inline)}</pre>
    case "rich_text_quote":
      return <blockquote className="my-1 ps-3 border-start border-4">{part.elements.map(inline)}</blockquote>
    case "rich_text_list": {
      const List = part.style === "ordered" ? "ol" : "ul"
      const items = part.elements.map(({ elements }, index) => <li key={index}>{elements.map(inline)}</li>)
      return <List className={`mb-0 ms-${Math.min(part.indent ?? 0, 5)}`}>{items}</List>
    }
  }
}

function inline(element: RichInline, key: number) {
  return <Inline key={key} element={element} />
}

/** A run of text, a link or a mention, in its style. */
function Inline({ element }: { readonly element: RichInline }) {
  const { bold, italic, strike, underline, code } = element.style ?? {}
  let drawn: ReactNode = <Plain element={element} />
  if (code) drawn = <code>{drawn}</code>
  if (underline) drawn = <u>{drawn}</u>
  if (strike) drawn = <s>{drawn}</s>
  if (italic) drawn = <i>{drawn}</i>
  return bold ? <b>{drawn}</b> : drawn
}

function Plain({ element }: { readonly element: RichInline }) {
  const { seen } = usePage()
  switch (element.type) {
    case "text":
      return element.text
    case "link":
      return <Link href={element.url}>{element.text ?? element.url}</Link>
    case "user":
      return <Mention name={`@${nameOf(seen, element.user_id)}`} mine={element.user_id === seen.me.id} />
    case "channel": {
      const found = seen.channels.find(({ channel }) => channel.id === element.channel_id)
      return <Mention name={`#${found?.channel.name ?? element.channel_id}`} />
    }
    case "usergroup": {
      const group = seen.groups.find(({ id }) => id === element.usergroup_id)
      return <Mention name={`@${group?.handle ?? element.usergroup_id}`} mine={group?.memberIds.includes(seen.me.id)} />
    }
    case "team":
      return element.team_id
    case "broadcast":
      return <Mention name={`@${element.range}`} mine />
    case "emoji":
      // An unknown name stays as it is written.
      return emojiOf(element.name) ?? `:${element.name}:`
    case "date": {
      const written = writeDate(element.timestamp * 1_000, element.format, Number(new Date()))
      return <time title={fullTime(String(element.timestamp))}>{written}</time>
    }
  }
}

function Mention({ name, mine = false }: { readonly name: string; readonly mine?: boolean | undefined }) {
  return <span className={mine ? "mention mine" : "mention"}>{name}</span>
}

/** A link, if its address is for browsers or mail; else only its text. A link to a message here opens that message. */
function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const { openMessage } = usePage()
  if (!/^(https?|mailto):/i.test(href)) return children
  const message = messageIn(href)
  const go = (event: MouseEvent) => {
    if (message === undefined) return
    event.preventDefault()
    openMessage(message)
  }
  return (
    <a href={href} title={href} target="_blank" rel="noreferrer noopener" onClick={go}>
      {children}
    </a>
  )
}

/** The message of this workspace that a link leads to; undefined for any other link. */
function messageIn(href: string): MessageLink | undefined {
  const url = URL.parse(href)
  const [, channel, seconds, rest] = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(url?.pathname ?? "") ?? []
  if (url?.origin !== location.origin || channel === undefined) return undefined
  return { channel, ts: `${seconds}.${rest}`, thread: url.searchParams.get("thread_ts") ?? "" }
}

/** A table; its cells are literal or rich text. */
export function Table({ rows }: { readonly rows: Extract<Block, { type: "table" }>["rows"] }) {
  return (
    <div className="table-responsive">
      <table className="words table table-bordered w-auto m-0">
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{cell.type === "rich_text" ? <Parts parts={cell.elements} /> : cell.text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const markdownComponents: Components = { a: ({ href = "", children }) => <Link href={href}>{children}</Link> }

/** The text of a Markdown block, without pictures: they would have to be fetched from elsewhere. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <Markdown remarkPlugins={[remarkGfm]} components={markdownComponents} disallowedElements={["img"]}>
      {text}
    </Markdown>
  )
}
