// Modals and Home tabs as strict schemas.
import { z } from "zod"
import { homeBlock, modalBlock } from "./blocks.ts"
import { blockLimits } from "./limits.ts"
import { plainText, wireString } from "./text-objects.ts"

const shared = {
  callback_id: wireString(blockLimits.id, 0).optional(),
  external_id: wireString(blockLimits.id, 0).optional(),
  private_metadata: wireString(blockLimits.privateMetadata, 0).optional(),
}

const modal = z.strictObject({
  type: z.literal("modal"),
  ...shared,
  title: plainText(blockLimits.viewTitle),
  submit: plainText(blockLimits.viewButton).optional(),
  close: plainText(blockLimits.viewButton).optional(),
  blocks: z.array(modalBlock).min(1).max(blockLimits.blocksPerView),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
  submit_disabled: z.boolean().optional(),
})

const home = z.strictObject({
  type: z.literal("home"),
  ...shared,
  blocks: z.array(homeBlock).max(blockLimits.blocksPerView),
})

/** A view as an app sends it to `views.open`, `update`, `push` or `publish`. */
export const view = z.discriminatedUnion("type", [modal, home])

/** A checked modal or Home tab. */
export type ViewDefinition = z.infer<typeof view>
