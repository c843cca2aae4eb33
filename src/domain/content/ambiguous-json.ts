// JSON that programs read differently. An object may name a member twice: some take the first value, others the last.
// And V8 13.6 (Node 24) itself misreads a name: after an object with "a\\", it takes "a\n" or "a\"" for that one.
import { isJsonArray, isJsonObject, type Json, parseJson } from "./json.ts"

/** Objects and arrays that hold such a member. */
const ambiguous = new WeakSet<object>()

/** Parses JSON as `parseJson` does, and notes which of its objects other programs may read differently. */
export function parseForeignJson(text: string): Json {
  const value = parseJson(text)
  noteAmbiguous(text, value)
  return value
}

/** True if a value of `parseForeignJson` is one that other programs may read differently, or holds one. */
export function isAmbiguous(value: Json): boolean {
  if (isJsonArray(value)) return ambiguous.has(value) || value.some(isAmbiguous)
  return isJsonObject(value) && (ambiguous.has(value) || Object.values(value).some(isAmbiguous))
}

/** An object or array around the place that is read, and what was parsed of it. `names`: null in an array. */
interface Holder {
  readonly parsed: Json
  readonly names: Set<string> | null
  awaitsName: boolean
  step: string | number
}

/** Reads the text beside its value, in linear time, and notes each holder that does not have what stands there. */
function noteAmbiguous(text: string, value: Json): void {
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
        around.push({ parsed: below(holder, value), names: new Set(), awaitsName: true, step: "" })
        break
      case "[":
        around.push({ parsed: below(holder, value), names: null, awaitsName: false, step: 0 })
        break
      case "}":
      case "]":
        around.pop()
        break
      case ",":
        if (holder !== undefined) passComma(holder)
    }
  }
}

/** What was parsed of the value at this place; null below what is not there. */
function below(holder: Holder | undefined, whole: Json): Json {
  if (holder === undefined) return whole
  const { parsed, step } = holder
  if (typeof step === "number") return isJsonArray(parsed) ? (parsed[step] ?? null) : null
  return isJsonObject(parsed) && Object.hasOwn(parsed, step) ? (parsed[step] ?? null) : null
}

function noteName(holder: Holder, name: string): void {
  const { parsed, names } = holder
  const twice = names?.has(name) === true
  if (isJsonObject(parsed) && (twice || !Object.hasOwn(parsed, name))) ambiguous.add(parsed)
  names?.add(name)
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
