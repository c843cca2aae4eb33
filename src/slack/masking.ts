// A face as it may be shown: the secrets that its rules name are masked, visibly and with their length.
import type { Face } from "../domain/face.ts"
import { maskApproval, maskFilled } from "../domain/mask.ts"

/** A face with its secrets masked, and how many values that were. */
export interface MaskedFace {
  readonly face: Face
  readonly masked: number
}

/** Masks a face. What a surface shows is made of the masked face alone; the digest and the buttons stand for the truth. */
export function maskFace(face: Face): MaskedFace {
  const { approval, look } = face
  if (approval === null) return { face, masked: 0 }
  const { approval: shown, count } = maskApproval(approval, look.mask)
  const votes = face.votes.map((vote) => ({
    ...vote,
    values: vote.values === null ? null : maskFilled(vote.values, look.mask),
  }))
  return { face: { ...face, approval: shown, votes }, masked: count }
}
