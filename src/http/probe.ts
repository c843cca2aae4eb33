// Probes: what has to be well. Each is asked on its own, and has a time limit.

/** One thing that has to be well. `null`: it is well; else what is wrong, in words for the operator. */
export interface Probe {
  readonly name: string
  readonly problem: () => Promise<string | null>
}

/** How long one probe may take, in ms. A probe that takes longer is a problem, too. */
const probeMs = 2_000

/** The problem of each probe that is not well, by its name; empty if all are well. */
export async function problemsOf(probes: readonly Probe[]): Promise<Readonly<Record<string, string>>> {
  const asked = await Promise.all(probes.map(async (probe) => [probe.name, await ask(probe)] as const))
  return Object.fromEntries(asked.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]])))
}

async function ask(probe: Probe): Promise<string | null> {
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => late.resolve(`no answer within ${probeMs} ms`), probeMs)
  try {
    return await Promise.race([probe.problem(), late.promise])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    clearTimeout(timer)
  }
}
