// What each version of AgentOS deviates in from the specification, and why; docs/service.md tells users the same.
import { isAtLeast } from "../agentos.ts"

/** Claims that do not hold there, by what they say. */
export interface ListedDeviation {
  readonly claims: RegExp
  readonly reason: string
}

/** Of all versions. */
const lasting: readonly ListedDeviation[] = [
  { claims: /^to delete an unknown id is 404$/, reason: "it is 500 (docs/platform-facts.md 2.1)" },
  {
    claims: /^the record keeps the resolved_by of the request$/,
    reason: "the token's subject overwrites it (docs/platform-facts.md 2.4)",
  },
  { claims: /^POST \/(?:agents|teams|workflows) makes one$/, reason: "405: they stand in the operator's code" },
  {
    claims: /^a (?:cron expression that is none|time zone that there is not) is 422$/,
    reason: "a 422 with a text, made by the handler after the model took it",
  },
  {
    claims: /^answers of \w+ are as \/openapi\.json says$/,
    reason: "its description leaves out statuses that happen, and says of some answers what they are not",
  },
  { claims: /^an unknown task is 404/, reason: "400: it wants a contextId to be named" },
  { claims: /^a stream of A2A begins/, reason: "it begins with a status, has messages, and ends with a second task" },
]

/** Of 2.7.2 alone. */
const ofVersion2: readonly ListedDeviation[] = [
  {
    claims: /^GET \/components\/\*\/configs of an unknown id is 404$/,
    reason: "200 with an empty list: nobody looks whether the component is there",
  },
  {
    claims: /^a change that expects another current version is 409$/,
    reason: "200: it does not compare what the change expects, and changes the component",
  },
  { claims: /^content of nothing is 400$/, reason: "202: content is taken first, and fails later" },
]

/** Of 3.1.10 and later. */
const ofVersion3: readonly ListedDeviation[] = [
  { claims: /^GET \/models is a list$/, reason: "the route is gone" },
  { claims: /^POST \/a2a\/message\/\w+ without agents:run is 403$/, reason: "the deprecated routes are gone" },
]

/** Every deviation of a version; of `embedded`, the service here, there is none. */
export function deviationsOf(version: string): readonly ListedDeviation[] {
  if (version === "embedded") return []
  return [...lasting, ...(isAtLeast(version, "3.0.0") ? ofVersion3 : ofVersion2)]
}

/** Why something may be left untested. */
export const untested: readonly RegExp[] = [
  /: a platform that let it in would change what is not the check's own$/,
  // Agents, teams and workflows that cannot be made over the wire.
  /^(?:the|PATCH|DELETE) \/?(?:agent|team|workflow).*: what it is about was not made$/,
]
