// The CPU time of a test: what a computation takes, however busy the machine is.

/** The CPU time that this process has used since it began, in ms. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
