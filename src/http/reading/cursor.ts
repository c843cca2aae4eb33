// Cursors: a place in the list of all cases as text that programs hand back and need not understand.
import type { CasePlace } from "../../flow/ports.ts"

/** The cursor of a place. */
export function cursorOf({ openedAt, caseId }: CasePlace): string {
  return Buffer.from(`${openedAt}.${caseId}`).toString("base64url")
}

/** The place of a cursor, or null if it is none. */
export function readCursor(cursor: string): CasePlace | null {
  const text = Buffer.from(cursor.slice(0, 100), "base64url").toString("latin1")
  const [, openedAt, caseId] = /^(\d{1,15})\.([0-9a-f]{20})$/.exec(text) ?? []
  return openedAt === undefined || caseId === undefined ? null : { openedAt: Number(openedAt), caseId }
}
