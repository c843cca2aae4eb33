// The messages between a run of the random attacker and its lanes.

/** To a lane. It answers a seed with how it ended. */
export type LaneOrder =
  | {
      readonly kind: "play"
      readonly seed: number
      /** The planted bug, or null. */
      readonly plant: string | null
      /** True if nobody attacks. */
      readonly honest: boolean
    }
  | { readonly kind: "end" }
