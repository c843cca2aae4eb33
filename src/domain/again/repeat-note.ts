// What a model reads of a call that was rejected by itself. What people wrote stands in a JSON object, so that none of
// it can pass for ours.

/** What is said of a repeat. `until`: when it may be asked again, epoch ms. */
export interface RepeatSaid {
  readonly reason: string | null
  readonly until: number
}

/** The sentence for the model of the agent that asked again. */
export function repeatNote({ reason, until }: RepeatSaid): string {
  const said = reason === null ? "" : ` ${JSON.stringify({ note: reason })}`
  const then = `It may be asked again after ${new Date(until).toISOString()}; until then it is rejected by itself.`
  return `A person rejected this same call before.${said} ${then} Do not call it again before.`
}
