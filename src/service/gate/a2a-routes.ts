// The agent-to-agent routes and the scope of each: specification 4.4, row by row.
import { AuthSetupError } from "../../auth/errors.ts"
import type { RouteTable } from "./route-table.ts"

const underPrefix: RouteTable = {
  "GET /agents/*/.well-known/agent-card.json": ["agents:read"],
  "POST /agents/*/v1/message:send": ["agents:run"],
  "POST /agents/*/v1/message:stream": ["agents:run"],
  "POST /agents/*/v1/tasks:get": ["agents:read"],
  "POST /agents/*/v1/tasks:cancel": ["agents:run"],
  "GET /teams/*/.well-known/agent-card.json": ["teams:read"],
  "POST /teams/*/v1/message:send": ["teams:run"],
  "POST /teams/*/v1/message:stream": ["teams:run"],
  "POST /teams/*/v1/tasks:get": ["teams:read"],
  "POST /teams/*/v1/tasks:cancel": ["teams:run"],
  "GET /workflows/*/.well-known/agent-card.json": ["workflows:read"],
  "POST /workflows/*/v1/message:send": ["workflows:run"],
  "POST /workflows/*/v1/message:stream": ["workflows:run"],
  "POST /message/send": ["agents:run"],
  "POST /message/stream": ["agents:run"],
}
/** Where the A2A routes stand unless the operator chooses another place. */
export const defaultA2aPrefix = "/a2a"

/** One or more plain segments: no star, no dots alone, nothing that needs encoding, no slash at the end. */
const prefixForm = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** The A2A routes under a prefix of one or more plain segments. Throws `AuthSetupError` for any other text. */
export function a2aRoutes(prefix: string = defaultA2aPrefix): RouteTable {
  if (!prefixForm.test(prefix)) {
    throw new AuthSetupError(
      "prefix_invalid",
      `A2A prefix ${JSON.stringify(prefix)}: expected plain segments without a slash at the end, for example "/a2a"`,
    )
  }
  return Object.fromEntries(
    Object.entries(underPrefix).map(([pattern, scopes]) => [pattern.replace(" ", ` ${prefix}`), scopes]),
  )
}

/** True for the two deprecated dispatch routes (4.4), whose handlers check the run scope of the target once more. */
export function isDispatch(pattern: string, prefix: string = defaultA2aPrefix): boolean {
  return pattern === `POST ${prefix}/message/send` || pattern === `POST ${prefix}/message/stream`
}
