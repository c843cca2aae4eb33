// Strokes against what is remembered of earlier calls: what was proposed for them, and which are rejected for a while.
import type { Attacker, Photo } from "./attacker.ts"
import type { Stroke, talkKinds } from "./schedule.ts"

/** What such a stroke is about: what lay there before, and the cases of a session. */
interface Aim {
  readonly attacker: Attacker
  readonly photo: Photo | undefined
  readonly cases: readonly string[]
}

/** Strikes. False if there is nothing that it could be done to. */
export async function strikeTalk(
  { attacker, photo, cases }: Aim,
  kind: (typeof talkKinds)[number],
  [, second, third]: Stroke["dice"],
): Promise<boolean> {
  const { keys } = attacker
  const indexes = [keys.sentBack("main"), keys.calls("main")] as const
  const one = cases[second % Math.max(1, cases.length)]
  const others = cases.filter((each) => each !== one)
  const other = others[third % Math.max(1, others.length)]
  switch (kind) {
    case "delete the indexes":
      await attacker.remove(...(third % 3 === 0 ? indexes : indexes.slice(0, 1)))
      return true
    case "point the indexes elsewhere":
      if (one === undefined || other === undefined) return false
      for (const index of indexes) await attacker.pointElsewhere(index, one, other)
      return true
    case "put back a memory": {
      if (one === undefined || photo === undefined) return false
      // Half of the time without the records: then the indexes alone are as they were.
      const records = third % 2 === 0 ? [keys.case(one), keys.chain(`case:${one}`)] : []
      await attacker.putBack(new Map([...records, ...indexes].map((key) => [key, photo.get(key) ?? null])))
      return true
    }
    case "copy a case":
      if (one === undefined || other === undefined) return false
      for (const name of [keys.case, (id: string) => keys.chain(`case:${id}`)])
        await attacker.copy(name(one), name(other))
      for (const index of indexes) await attacker.pointElsewhere(index, one, other)
      return true
  }
}
