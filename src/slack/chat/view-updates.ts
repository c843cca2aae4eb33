// Changes of views. If one overtakes the ack that changes the same view, it is lost; so we show it once more.
import type { ModalView } from "@slack/types"
import type { Log } from "../../flow/ports.ts"
import { slackCodeOf } from "../transport/errors.ts"
import type { PendingWork } from "../transport/pending-work.ts"
import type { SlackCall } from "../transport/web-client.ts"
import type { SendWithFallback } from "./block-fallback.ts"

/** After so many ms Slack has surely acted on an ack; it confirms none, neither on a socket nor by HTTP. */
const takenMs = 1_000

/** Shows views. */
export interface ViewUpdates {
  /** An ack left that makes another view of this one. */
  acked(viewId: string): void
  /** Shows a view in place of the present one. Throws `ChatError`. */
  show(viewId: string, view: ModalView): Promise<void>
}

/** What came to a view while its ack may be on its way. */
interface Recent {
  last: ModalView | null
  /** Resolves when the last content was shown again; rejects if that fails. */
  again: Promise<void>
}

/** Makes it. `working` is what a shutdown waits for. */
export function createViewUpdates(options: {
  readonly call: SlackCall
  readonly sendWithFallback: SendWithFallback
  readonly wait: (ms: number) => Promise<unknown>
  readonly working: PendingWork
  readonly log: Log
}): ViewUpdates {
  const { call, sendWithFallback, wait, working, log } = options
  const recents = new Map<string, Recent>()
  const update = async (viewId: string, view: ModalView) => {
    await sendWithFallback(view, (shown) =>
      call("views.update", (client) => client.views.update({ view_id: viewId, view: shown })),
    )
  }
  const repeat = async (viewId: string, recent: Recent) => {
    await wait(takenMs)
    if (recents.get(viewId) === recent) recents.delete(viewId)
    if (recent.last !== null) await update(viewId, recent.last)
  }
  return {
    acked: (viewId) => {
      const recent: Recent = { last: null, again: Promise.resolve() }
      recents.set(viewId, recent)
      recent.again = working.track(repeat(viewId, recent))
      // Whoever closed the view has read it.
      recent.again.catch((error: unknown) => log.debug("view-not-shown-again", { error }))
    },
    show: async (viewId, view) => {
      const recent = recents.get(viewId)
      if (recent !== undefined) recent.last = view
      try {
        await update(viewId, view)
      } catch (error) {
        if (recent === undefined || slackCodeOf(error) !== "not_found") throw error
        await recent.again
      }
    },
  }
}
