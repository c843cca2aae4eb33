// What was found wrong in answers of the embedded service since the last look.
const found: string[] = []

/** Notes a fault until somebody looks. */
export function noteFault(fault: string): void {
  found.push(fault)
}

/** All faults since the last time, which are forgotten then. */
export function takeFaults(): readonly string[] {
  return found.splice(0)
}
