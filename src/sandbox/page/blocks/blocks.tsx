// Draws the blocks of messages, modals and Home tabs.
import type { Block } from "../../../blockkit/blocks.ts"
import { Control } from "./controls.tsx"
import type { BlockPlace } from "./form.ts"
import { InputBlock } from "./input.tsx"
import { MarkdownText, Parts, Table, Text } from "./rich-text.tsx"

type OfType<T extends Block["type"]> = Extract<Block, { type: T }>
type Of<T extends Block["type"]> = BlockPlace & { readonly block: OfType<T> }

/** The blocks, one under the other. An update changes what differs: it takes no block away to draw it anew. */
export function Blocks({ blocks, ...place }: BlockPlace & { readonly blocks: readonly Block[] }) {
  return blocks.map((block, index) => (
    <div className="block" key={keyIn(blocks, index)}>
      <OneBlock block={block} {...place} />
    </div>
  ))
}

/**
 * What names a block from one update to the next. Slack gives a block without an id a new one each time, so ids name
 * inputs alone. Else all blocks would go for a moment, and the list around them would lose its place.
 */
function keyIn(blocks: readonly Block[], index: number): string {
  const block = blocks[index]
  if (block?.type === "input") return `input ${block.block_id}`
  return `${block?.type} ${blocks.slice(0, index).filter(({ type }) => type === block?.type).length}`
}

const alertLooks = { default: "secondary", info: "info", warning: "warning", error: "danger", success: "success" }

function OneBlock({ block, ...place }: BlockPlace & { readonly block: Block }) {
  switch (block.type) {
    case "rich_text":
      return <Parts parts={block.elements} />
    case "table":
      return <Table rows={block.rows} />
    case "markdown":
      return <MarkdownText text={block.text} />
    case "divider":
      return <hr />
    case "header":
      return <h2 className="words m-0 fs-5 fw-bold">{block.text.text}</h2>
    case "section":
      return <Section block={block} {...place} />
    case "context":
      return (
        <div className="d-flex flex-wrap column-gap-1 row-gap-1 small text-body-secondary">
          {block.elements.map((element, index) =>
            element.type === "image" ? <Picture key={index} {...element} /> : <Text key={index} text={element} />,
          )}
        </div>
      )
    case "actions":
      return (
        <div className="actions d-flex flex-wrap align-items-center gap-2 py-1">
          {block.elements.map((element, index) => (
            <Control key={element.action_id ?? index} element={element} block={block} {...place} />
          ))}
        </div>
      )
    case "input":
      return place.form ? <InputBlock block={block} place={place.place} form={place.form} /> : null
    case "image":
      return <Picture {...block} />
    case "alert":
      return (
        <div className={`alert alert-${alertLooks[block.level ?? "default"]} m-0 py-2`} role="note">
          <Text text={block.text} />
        </div>
      )
    case "container":
      return <Container block={block} {...place} />
  }
}

function Section({ block, ...place }: Of<"section">) {
  const { accessory } = block
  return (
    <div className="section d-flex align-items-start gap-3">
      <div className="body flex-fill">
        {block.text && <Text text={block.text} />}
        {block.fields && (
          <div className="row row-cols-1 row-cols-md-2 g-1">
            {block.fields.map((field, index) => (
              <Text key={index} text={field} />
            ))}
          </div>
        )}
      </div>
      {accessory?.type === "image" && <Picture {...accessory} />}
      {accessory && accessory.type !== "image" && <Control element={accessory} block={block} {...place} />}
    </div>
  )
}

/** A picture's words in its place: the picture would have to be fetched from elsewhere. */
function Picture({ alt_text }: { readonly alt_text: string }) {
  return <span className="d-inline-block px-2 border rounded small text-body-secondary">Image: {alt_text}</span>
}

function Container({ block, ...place }: Of<"container">) {
  const look = "border rounded-3 px-3 py-2"
  const head = (
    <>
      {block.rich_text_title ? <Parts parts={block.rich_text_title.elements} /> : <b>{block.title?.text}</b>}
      {block.subtitle && <Text text={block.subtitle} />}
    </>
  )
  const inside = <Blocks blocks={block.child_blocks} {...place} />
  return block.is_collapsible ? (
    <details className={look} open={block.default_collapsed !== true}>
      <summary>{head}</summary>
      {inside}
    </details>
  ) : (
    <div className={look}>
      {head}
      {inside}
    </div>
  )
}
