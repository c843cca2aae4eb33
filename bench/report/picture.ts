// Draws curves: time over the number of pending approvals, both by powers of ten. Readable on light and dark pages.
import type { Curve } from "../parts/figure.ts"

const size = { width: 640, height: 360 }
const frame = { left: 64, right: 404, top: 24, bottom: 304 }
/** Colours that stand out on white and on black, one for each curve. */
const colours = ["#2f81f7", "#d1572e", "#2da44e", "#a475f9"]
const style = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.grid { stroke: #8b949e; stroke-opacity: 0.35 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
`

/** The powers of ten between which all of some numbers lie; at least one apart. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Draws curves. `title` is read by screen readers. */
export function pictureOf(curves: readonly Curve[], title: string): string {
  const points = curves.flatMap((curve) => curve.points)
  const across = spanOf(points.map(({ pending }) => pending))
  const up = spanOf(points.map(({ ms }) => ms))
  const x = (pending: number) => place(pending, across, frame.left, frame.right)
  const y = (ms: number) => place(ms, up, frame.bottom, frame.top)
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    ...powers(across).flatMap((power) => [
      line([x(power), frame.top], [x(power), frame.bottom]),
      text(x(power), frame.bottom + 20, "middle", power.toLocaleString("en")),
    ]),
    ...powers(up).flatMap((power) => [
      line([frame.left, y(power)], [frame.right, y(power)]),
      text(frame.left - 8, y(power) + 4, "end", power.toLocaleString("en", { maximumSignificantDigits: 1 })),
    ]),
    text((frame.left + frame.right) / 2, frame.bottom + 44, "middle", "pending approvals"),
    text(frame.left - 8, frame.top - 8, "end", "ms"),
    ...curves.flatMap((curve, at) => drawn(curve, at, { x, y })),
    ...labels(curves, y),
    "</svg>",
  ]
  return `${lines.join("\n")}\n`
}

/** How numbers become places. */
interface Scales {
  readonly x: (pending: number) => number
  readonly y: (ms: number) => number
}

function drawn({ points }: Curve, at: number, { x, y }: Scales): readonly string[] {
  const colour = colours[at % colours.length]
  const places = points.map(({ pending, ms }) => [tenth(x(pending)), tenth(y(ms))] as const)
  const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`)
  const way = places.map((one) => one.join(",")).join(" ")
  return [`<polyline points="${way}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots]
}

/** The name of each curve beside its end; those that would touch are moved apart. */
function labels(curves: readonly Curve[], y: Scales["y"]): readonly string[] {
  const wanted = curves.map(({ what, points }, at) => ({ what, at, top: y(points.at(-1)?.ms ?? 1) }))
  let free = frame.top
  return wanted
    .toSorted((left, right) => left.top - right.top)
    .map(({ what, at, top }) => {
      const place = Math.max(top, free)
      free = place + 18
      const dot = `<circle cx="${frame.right + 14}" cy="${tenth(place)}" r="4" fill="${colours[at % colours.length]}"/>`
      return dot + text(frame.right + 24, place + 4, "start", what)
    })
}

function spanOf(values: readonly number[]): Span {
  const from = Math.floor(Math.log10(Math.min(...values)))
  return { from, to: Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)))) }
}

function powers({ from, to }: Span): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at))
}

function place(value: number, { from, to }: Span, start: number, end: number): number {
  return start + ((Math.log10(value) - from) / (to - from)) * (end - start)
}

function line([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): string {
  return `<line class="grid" x1="${tenth(x1)}" y1="${tenth(y1)}" x2="${tenth(x2)}" y2="${tenth(y2)}"/>`
}

function text(x: number, y: number, anchor: "start" | "middle" | "end", words: string): string {
  return `<text x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}">${escaped(words)}</text>`
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
}
