// JSON that programs read differently. An object may name a member twice: some take the first value, others the last.
// And V8 13.6 (Node 24) itself misreads a name: after an object with "a\\", it takes "a\n" or "a\"" for that one.
import { isJsonArray, isJsonObject, type Json, parseJson } from "./json.ts"

/** Objects and arrays that hold such a member. */
const ambiguous = new WeakSet<object>()

/** Parses JSON as `parseJson` does, and notes which of its objects other programs may read differently. */
export function parseForeignJson(text: string): Json {
  const value = parseJson(text)
  eachObject(text, (way, names, twice) => {
    const [found, whole] = nearest(value, way)
    const misread = !whole || !isJsonObject(found) || [...names].some((name) => !Object.hasOwn(found, name))
    if ((twice || misread) && typeof found === "object" && found !== null) ambiguous.add(found)
  })
  return value
}

/** True if a value of `parseForeignJson` is one that other programs may read differently, or holds one. */
export function isAmbiguous(value: Json): boolean {
  if (isJsonArray(value)) return ambiguous.has(value) || value.some(isAmbiguous)
  return isJsonObject(value) && (ambiguous.has(value) || Object.values(value).some(isAmbiguous))
}

/** Names and positions from the top down to an object. */
type Way = readonly (string | number)[]

/** What stands at the end of a way, and true; if something on it is not there, the last that is, and false. */
function nearest(value: Json, way: Way): readonly [Json, boolean] {
  let found = value
  for (const step of way) {
    const next =
      typeof step === "number"
        ? isJsonArray(found) && found[step]
        : isJsonObject(found) && Object.hasOwn(found, step) && found[step]
    if (typeof next !== "object" || next === null) return [found, false]
    found = next
  }
  return [found, true]
}

/** An object or array around the place that is read. `names`: null in an array. */
interface Holder {
  readonly names: Set<string> | null
  twice: boolean
  awaitsName: boolean
  step: string | number
}

/** Calls `tell` with each object in text that is JSON: the way there, its names, and whether one stands twice. */
function eachObject(text: string, tell: (way: Way, names: ReadonlySet<string>, twice: boolean) => void): void {
  const around: Holder[] = []
  for (let place = 0; place < text.length; place += 1) {
    const holder = around.at(-1)
    switch (text.charAt(place)) {
      case '"': {
        const end = endOfText(text, place)
        if (holder?.awaitsName === true) noteName(holder, nameIn(text.slice(place, end)))
        place = end - 1
        break
      }
      case "{":
        around.push({ names: new Set(), twice: false, awaitsName: true, step: "" })
        break
      case "[":
        around.push({ names: null, twice: false, awaitsName: false, step: 0 })
        break
      case "}":
      case "]":
        around.pop()
        if (holder !== undefined && holder.names !== null)
          tell(
            around.map(({ step }) => step),
            holder.names,
            holder.twice,
          )
        break
      case ",":
        if (holder !== undefined) passComma(holder)
    }
  }
}

function noteName(holder: Holder, name: string): void {
  if (holder.names?.has(name) === true) holder.twice = true
  holder.names?.add(name)
  holder.awaitsName = false
  holder.step = name
}

function passComma(holder: Holder): void {
  if (typeof holder.step === "number") holder.step += 1
  else holder.awaitsName = true
}

/** Behind the quote that ends the text which begins here. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text[before - 1] === "\\") before -= 1
    if ((quote - before) % 2 === 0) return quote + 1
  }
  return text.length
}

function nameIn(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}
