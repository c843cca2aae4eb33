// Goes through the keys of Redis in parts, so that many keys block neither Redis nor us.
import { attempt } from "../errors.ts"

/** Yields part after part until the cursor is 0 again. `next` asks for a part. Throws `StoreError` with `tried`. */
export async function* partsOf(
  tried: string,
  next: (cursor: string) => Promise<[cursor: string, found: string[]]>,
): AsyncGenerator<readonly string[]> {
  let from = "0"
  do {
    const [cursor, found] = await attempt(tried, () => next(from))
    yield found
    from = cursor
  } while (from !== "0")
}
