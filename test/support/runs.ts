// How often we try a property: as often as its test says, or as `COUNTERSIGN_RUNS` says for all properties.

/**
 * The runs of a property: `COUNTERSIGN_RUNS` if it is set (more for a long form, fewer where speed counts), else the
 * test's own.
 */
export function runsOf(usual: number): number {
  return Number(process.env["COUNTERSIGN_RUNS"] ?? usual)
}
