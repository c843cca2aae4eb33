// Draws text with slack-blocks-to-jsx, with this workspace's names and the reader's own time.
import { type MouseEvent, useCallback, useMemo } from "react"
import { type Block as Drawn, Message, type MessageProps } from "slack-blocks-to-jsx"
import type { Snapshot } from "../../user-actions/snapshot.ts"
import { type Desk, nameOf, useDesk } from "../page-context.ts"
import { type Display, drawable, richText } from "../rich-blocks.ts"
import { fullTime, writeDate } from "./dates.ts"
import { partsOf, type TextObject } from "./mrkdwn.ts"

/** A text object as Slack shows it. */
export function Text({ text }: { readonly text: TextObject }) {
  return <Drawing block={richText(partsOf(text))} />
}

/** A rich_text, table, markdown or divider block. */
export function DisplayBlock({ block }: { readonly block: Display }) {
  return <Drawing block={drawable(block)} />
}

function Drawing({ block }: { readonly block: Drawn }) {
  const { seen, openMessage } = useDesk()
  const hooks = useMemo(() => hooksFor(seen, openMessage), [seen, openMessage])
  const data = useMemo(() => namesIn(seen), [seen])
  const box = useCallback((node: HTMLDivElement | null) => {
    node?.querySelector("#slack_blocks_to_jsx")?.removeAttribute("id")
  }, [])
  return (
    <div className="drawing" ref={box}>
      <Message blocks={[block]} name="" logo="" theme="light" withoutWrapper data={data} hooks={hooks} />
    </div>
  )
}

function namesIn(seen: Snapshot): NonNullable<MessageProps["data"]> {
  return {
    users: seen.people.map(({ id }) => ({ id, name: nameOf(seen, id) })),
    channels: seen.channels.map(({ channel }) => ({ id: channel.id, name: channel.name })),
    user_groups: seen.groups.map(({ id, handle }) => ({ id, name: handle })),
  }
}

function hooksFor(seen: Snapshot, openMessage: Desk["openMessage"]): NonNullable<MessageProps["hooks"]> {
  const mention = (mine: boolean, words: string) => <span className={mine ? "mention mine" : "mention"}>{words}</span>
  return {
    user: ({ id }) => mention(id === seen.me.id, `@${nameOf(seen, id)}`),
    channel: ({ id, name }) => mention(false, `#${name || id}`),
    usergroup: ({ id, name }) => {
      const group = seen.groups.find((one) => one.id === id)
      return mention(group?.memberIds.includes(seen.me.id) ?? false, `@${group?.handle ?? (name || id)}`)
    },
    atHere: () => mention(true, "@here"),
    atChannel: () => mention(true, "@channel"),
    atEveryone: () => mention(true, "@everyone"),
    date: ({ timestamp, format }) => (
      <time title={fullTime(timestamp)}>{writeDate(Number(timestamp) * 1_000, format, Number(new Date()))}</time>
    ),
    // An unknown name comes back as it is: then the letters stay what they were.
    emoji: (emoji, draw) => {
      const drawn = draw(emoji)
      return drawn === emoji.name ? `:${emoji.name}:` : drawn
    },
    link: ({ href, children }) => {
      const message = messageIn(href)
      const go = (event: MouseEvent) => {
        if (message === undefined) return
        event.preventDefault()
        openMessage(message.channel, message.ts)
      }
      return (
        <a href={href} title={href} target="_blank" rel="noreferrer noopener" onClick={go}>
          {children}
        </a>
      )
    },
  }
}

/** The message of this workspace that a link leads to, if it leads to one. */
function messageIn(href: string): { readonly channel: string; readonly ts: string } | undefined {
  const url = URL.parse(href)
  const [, channel, seconds, rest] = /^\/archives\/(\w+)\/p(\d+)(\d{6})$/.exec(url?.pathname ?? "") ?? []
  if (url?.origin !== location.origin || channel === undefined) return undefined
  return { channel, ts: `${seconds}.${rest}` }
}
