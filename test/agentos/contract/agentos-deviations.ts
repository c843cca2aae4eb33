// What AgentOS 3.1.10 deviates in from the specification, and why; docs/service.md tells users the same.

/** Claims that do not hold there, by what they say. */
export interface ListedDeviation {
  readonly claims: RegExp
  readonly reason: string
}

/** Every deviation. */
export const deviations: readonly ListedDeviation[] = [
  { claims: /^to delete an unknown id is 404$/, reason: "it is 500 (docs/platform-facts.md 2.1)" },
  {
    claims: /^the record keeps the resolved_by of the request$/,
    reason: "the token's subject overwrites it (docs/platform-facts.md 2.4)",
  },
  { claims: /^GET \/models is a list$/, reason: "the route is gone" },
  { claims: /^POST \/(?:agents|teams|workflows) makes one$/, reason: "405: they stand in the operator's code" },
  {
    claims: /^a (?:cron expression that is none|time zone that there is not) is 422$/,
    reason: "a 422 with a text, made by the handler after the model took it",
  },
  { claims: /\/a2a\/|^the card of an agent|^an unknown task/, reason: "A2A is an interface that an operator mounts" },
]

/** Why something may be left untested. */
export const untested: readonly RegExp[] = [
  /: a platform that let it in would change what is not the check's own$/,
  // Agents, teams and workflows that cannot be made over the wire.
  /^(?:the|PATCH|DELETE) \/?(?:agent|team|workflow).*: what it is about was not made$/,
]
