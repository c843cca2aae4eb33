// What the parts of the sandbox share: the workspace and the machinery around it.
import type { Delivery } from "./delivery/delivery.ts"
import type { Faults } from "./delivery/faults.ts"
import type { CallCounts } from "./limits/call-counts.ts"
import type { PostPace } from "./limits/pace.ts"
import type { ResponseUrls } from "./limits/response-urls.ts"
import type { Triggers } from "./limits/triggers.ts"
import type { Tour } from "./user-actions/tour.ts"
import type { Workspace } from "./workspace/workspace.ts"

/** The credentials of the one app that is installed in the workspace. */
export interface SandboxTokens {
  /** `xoxb-…` */
  readonly bot: string
  /** `xapp-…`, for `apps.connections.open` only. */
  readonly app: string
  /** The secret that signs HTTP deliveries. */
  readonly signingSecret: string
}

/** The app's installation; a test may change it. */
export interface AppInstall {
  /** True for an organization's install on all its workspaces. */
  orgWide: boolean
  /** Why Slack refuses every call with the bot token; null while Slack accepts the token. */
  refused: "account_inactive" | "token_revoked" | null
}

/** What the page offers to try. A new sandbox offers nothing. */
export interface TourOffer {
  tour: Tour | null
}

/** Everything that a Web API method or an interaction may need. */
export interface World {
  readonly workspace: Workspace
  readonly tokens: SandboxTokens
  readonly triggers: Triggers
  readonly responseUrls: ResponseUrls
  readonly faults: Faults
  readonly pace: PostPace
  readonly callCounts: CallCounts
  /** The bot token's scopes. A test may delete one, to see `missing_scope`. */
  readonly scopes: Set<string>
  readonly install: AppInstall
  readonly offer: TourOffer
  readonly delivery: Delivery
  /** `http://127.0.0.1:PORT`, known once the server listens. */
  readonly url: () => string
  /** The address that the sandbox names for responses. It differs from `url` if something stands before the sandbox. */
  readonly responsesAt: () => string
  /** A fresh one-time address for a Socket Mode connection. */
  readonly socketUrl: () => string
}
