// What a refused credential says of its own end: the commonest cause of a 401.
import { decodeJwt } from "jose"

/** When a JWT ended, in words, if that was before `now` (epoch ms); null for any other credential, and where no time is known. */
export function expiryWords(token: string | undefined, now: number | null): string | null {
  const endedAt = token === undefined ? null : endOf(token)
  if (endedAt === null || now === null || now < endedAt) return null
  return `the token says itself that it ended at ${new Date(endedAt).toISOString()}`
}

function endOf(token: string): number | null {
  try {
    const { exp } = decodeJwt(token)
    const endsAt = exp === undefined ? Number.NaN : exp * 1_000
    return Math.abs(endsAt) <= latest ? endsAt : null
  } catch {
    return null // no JWT
  }
}

/** The latest time that a date can tell, epoch ms. */
const latest = 8.64e15
