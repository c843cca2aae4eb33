// The key set that an operator names: a file, or the address at which a bot serves it.
import { readFile } from "node:fs/promises"
import { ProofError } from "../../proof/errors.ts"
import { readKeySet, type SigningKeySet } from "../../proof/signed.ts"

/** How long the address may take to answer, in ms. */
const limitMs = 10_000

/** Reads a key set from a file or an http(s) address. Throws `ProofError` `keys-unusable`. */
export async function loadKeySet(from: string): Promise<SigningKeySet> {
  return readKeySet(await load(from), from)
}

async function load(from: string): Promise<string> {
  try {
    if (!/^https?:\/\//.test(from)) return await readFile(from, "utf8")
    const response = await fetch(from, { signal: AbortSignal.timeout(limitMs) })
    if (!response.ok) throw new ProofError("keys-unusable", `GET ${from} answered ${response.status}`)
    return await response.text()
  } catch (cause) {
    if (cause instanceof ProofError) throw cause
    throw new ProofError("keys-unusable", `the key set ${from} cannot be read`, { cause })
  }
}

/** Both key sets as one. */
export function joined(one: SigningKeySet, other: SigningKeySet): SigningKeySet {
  return { keys: [...one.keys, ...other.keys.filter((key) => !one.keys.some(({ kid }) => kid === key.kid))] }
}
