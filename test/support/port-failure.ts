// Makes failures as the flow's ports throw them.

/** An error of a port. `name` and further fields are those of the adapter that it stands for. */
export class PortFailure extends Error {
  readonly code: string
  readonly retryable: boolean
  constructor(options: { readonly name: string; readonly code: string; readonly retryable: boolean }) {
    super(`${options.name}: ${options.code}`)
    this.name = options.name
    this.code = options.code
    this.retryable = options.retryable
  }
}

/** The platform did not answer, or not in a way that says what became of the call. */
export function platformFailure(code = "timeout", retryable = true): PortFailure {
  const barred = code === "unauthorized" || code === "forbidden"
  return Object.assign(new PortFailure({ name: "PlatformError", code, retryable }), { source: "platform", barred })
}

/** Slack did not take a call. With `retryAfterMs` it was a 429. */
export function chatFailure(
  slackCode: string,
  options: { readonly retryable?: boolean; readonly retryAfterMs?: number } = {},
): PortFailure {
  const { retryable = true, ...more } = options
  return Object.assign(new PortFailure({ name: "ChatError", code: slackCode, retryable }), {
    source: "slack",
    slackCode,
    notFound: slackCode.endsWith("_not_found"),
    barred: slackCode === "invalid_auth",
    ...more,
  })
}
