// Counts failed look-ups of service accounts, so that guessing is answered with "later" and a valid token never is.
import { isIPv6 } from "node:net"

/** Counts the failures of each address. */
export type FailedLookUps = {
  /** Records a failure now; true if this address has had more of them than are allowed. */
  fail(address: string | null): boolean
}

const allowed = 20
const windowMs = 60_000
const mostAddresses = 10_000

/**
 * Twenty failures a minute are allowed to an address, as the real service has it; a network of IPv6 (/64) counts as one address. The
 * memory is bounded: when ten thousand addresses failed within their minute, the oldest is forgotten.
 */
export function createFailedLookUps(clock: () => number): FailedLookUps {
  const windows = new Map<string, { readonly until: number; failures: number }>()
  const open = (key: string, now: number): { readonly until: number; failures: number } => {
    const fresh = { until: now + windowMs, failures: 0 }
    windows.delete(key)
    const [oldest] = windows.keys()
    if (windows.size >= mostAddresses && oldest !== undefined) windows.delete(oldest)
    windows.set(key, fresh)
    return fresh
  }
  return {
    fail: (address) => {
      const now = clock()
      const key = networkOf(address)
      const known = windows.get(key)
      const current = known !== undefined && now < known.until ? known : open(key, now)
      current.failures += 1
      return current.failures > allowed
    },
  }
}

function networkOf(address: string | null): string {
  if (address === null) return ""
  if (!isIPv6(address) || address.includes(".")) return address
  const [head = "", tail = ""] = address.replace(/%.*$/, "").split("::")
  const groups = head === "" ? [] : head.split(":")
  const missing = 8 - groups.length - (tail === "" ? 0 : tail.split(":").length)
  const first = address.includes("::") ? [...groups, ...Array<string>(missing).fill("0"), ...tail.split(":")] : groups
  return first
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")
}
