// Says which core does what: servers run on one, the measuring process on the other. So no figure contains moves of the
// scheduler.
import { spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"

const usable = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0

/** The words before a command that fix it to the servers' core; none where cores cannot be fixed. */
export const onServerCore: readonly string[] = usable ? ["taskset", "--cpu-list", "0"] : []

/**
 * Fixes all threads of this process, and those that it starts from now on, to the core that servers leave free. Says
 * how it went.
 */
export function fixOneCore(): string {
  if (!usable) return "no core fixed (that takes two cores and taskset)"
  const { status } = spawnSync("taskset", ["--all-tasks", "--cpu-list", "--pid", "1", String(process.pid)])
  return status === 0 ? "one core for floor and product" : "no core fixed (taskset failed)"
}
