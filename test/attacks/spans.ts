// Spans of time in which something held, for the oracle.

/** From when until when something held, in ms; `to` is Infinity while it lasts. */
export interface Span {
  readonly from: number
  to: number
}

/** True if it held at that moment. */
export function holds({ from, to }: Span, at: number): boolean {
  return from <= at && at < to
}

/** It holds no longer than until then. */
export function end(span: Span, at: number): void {
  span.to = Math.min(span.to, at)
}

/** Both count until it is certain. */
export function replacing<T extends object>(spans: (Span & T)[], next: T, at: number): (done: number) => void {
  const before = [...spans]
  spans.push({ ...next, from: at, to: Number.POSITIVE_INFINITY })
  return (done) => {
    for (const span of before) end(span, done)
  }
}
