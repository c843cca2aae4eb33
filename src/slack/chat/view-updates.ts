// Changes what an open modal shows.
import type { ModalView } from "@slack/types"
import type { SlackCall } from "../transport/web-client.ts"
import type { SendWithFallback } from "./block-fallback.ts"

/** Shows views. */
export interface ViewUpdates {
  /** Shows a view in place of what is there. Throws `ChatError`. */
  show(viewId: string, view: ModalView): Promise<void>
}

/** Makes the `ViewUpdates`. */
export function createViewUpdates(call: SlackCall, sendWithFallback: SendWithFallback): ViewUpdates {
  return {
    show: async (viewId, view) => {
      await sendWithFallback(view, (shown) =>
        call("views.update", (client) => client.views.update({ view_id: viewId, view: shown })),
      )
    },
  }
}
