// Draws the blocks of messages, modals and Home tabs: words by the library, everything that can be pressed or filled in by ourselves.
import type { Block } from "../../../blockkit/blocks.ts"
import type { ClickPlace } from "../../user-actions/clicks.ts"
import { Field } from "../forms/field.tsx"
import type { Form } from "../forms/form.ts"
import { Control } from "./controls.tsx"
import { DisplayBlock, Text } from "./rich-text.tsx"

/** Where the blocks stand, and the form that they are part of, in a view. */
export interface BlockPlace {
  readonly place: ClickPlace
  readonly form?: Form
}

type OfType<T extends Block["type"]> = Extract<Block, { type: T }>
type Of<T extends Block["type"]> = BlockPlace & { readonly block: OfType<T> }

/** The blocks, one under the other. */
export function Blocks({ blocks, ...place }: BlockPlace & { readonly blocks: readonly Block[] }) {
  return blocks.map((block, index) => (
    <div className="block" key={block.block_id ?? index}>
      <OneBlock block={block} {...place} />
    </div>
  ))
}

function OneBlock({ block, ...place }: BlockPlace & { readonly block: Block }) {
  switch (block.type) {
    case "rich_text":
    case "table":
    case "markdown":
    case "divider":
      return <DisplayBlock block={block} />
    case "header":
      return <h3 className="header">{block.text.text}</h3>
    case "section":
      return <Section block={block} {...place} />
    case "context":
      return <Context block={block} />
    case "actions":
      return <Actions block={block} {...place} />
    case "input":
      return place.form ? <Field block={block} form={place.form} /> : null
    case "image":
      return <Picture alt={block.alt_text} />
    case "alert":
      return (
        <div className={`alert ${block.level ?? "default"}`} role="note">
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
    <div className="section">
      <div className="words">
        {block.text && <Text text={block.text} />}
        {block.fields && (
          <div className="fields">
            {block.fields.map((field, index) => (
              <Text key={index} text={field} />
            ))}
          </div>
        )}
      </div>
      {accessory?.type === "image" && <Picture alt={accessory.alt_text} />}
      {accessory && accessory.type !== "image" && <Control element={accessory} block={block} {...place} />}
    </div>
  )
}

function Context({ block }: { readonly block: OfType<"context"> }) {
  return (
    <div className="context">
      {block.elements.map((element, index) =>
        element.type === "image" ? <Picture key={index} alt={element.alt_text} /> : <Text key={index} text={element} />,
      )}
    </div>
  )
}

function Actions({ block, ...place }: Of<"actions">) {
  return (
    <div className="actions">
      {block.elements.map((element, index) => (
        <Control key={element.action_id ?? index} element={element} block={block} {...place} />
      ))}
    </div>
  )
}

/** Pictures would have to be fetched from elsewhere, so their words stand for them. */
function Picture({ alt }: { readonly alt: string }) {
  return <span className="picture">Image: {alt}</span>
}

function Container({ block, ...place }: Of<"container">) {
  const title = block.rich_text_title ? <DisplayBlock block={block.rich_text_title} /> : <b>{block.title?.text}</b>
  const head = (
    <>
      {title}
      {block.subtitle && <Text text={block.subtitle} />}
    </>
  )
  const inside = <Blocks blocks={block.child_blocks} {...place} />
  if (!block.is_collapsible) {
    return (
      <div className="container">
        {head}
        {inside}
      </div>
    )
  }
  return (
    <details className="container" open={block.default_collapsed !== true}>
      <summary>{head}</summary>
      {inside}
    </details>
  )
}
