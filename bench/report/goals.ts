// What each row must reach, and what it aims at. Ratios are to the floor of the same run (docs/performance.md).

/** In the unit of the row: a ratio where it has a floor, else what the row is measured in. */
export interface Goal {
  /** A run fails above 1.15 times this, where less is better. */
  readonly must: number
  readonly aim: number
}

const pollMs = 1_000
const mustAndAim = (both: number): Goal => ({ must: both, aim: both })

/** By the row's number. */
export const goals: Readonly<Record<string, Goal>> = {
  "1": mustAndAim(2.2),
  "1b": { must: 3.4, aim: 2.8 },
  "2": { must: 2.1, aim: 1.8 },
  "3": { must: 2.2, aim: 1.5 },
  "4": { must: 2.4, aim: 2 },
  "5": mustAndAim(2.2),
  "6": mustAndAim(3),
  "6b": { must: 10, aim: 5 },
  "7": { must: 2.2, aim: 1.6 },
  "8": { must: 4.2, aim: 2.5 },
  "8b": { must: 8, aim: 5 },
  "9": mustAndAim(1.05),
  "9b": mustAndAim(0),
  "10": mustAndAim(1.2),
  // Half a poll in the mean, and 30 ms of our own.
  "11": mustAndAim((1.1 * (pollMs / 2) + 30) / (pollMs / 2)),
  "11b": mustAndAim((pollMs + 50) / (0.99 * pollMs)),
  "12": mustAndAim(1.8),
  "13": mustAndAim(3),
  "13b": mustAndAim(30),
  "14": { must: 1_000, aim: 900 },
  "14b": { must: 4_500, aim: 3_000 },
  "14c": { must: 400, aim: 330 },
  "15": { must: 3, aim: 2.5 },
  "15b": mustAndAim(1_000_000),
  "16": mustAndAim(2),
  "17": mustAndAim(50),
  "18": mustAndAim(5_000),
  "18b": mustAndAim(64),
  "19": mustAndAim(500),
  // How much more the exponent of the time is than that of the answer; a logarithm and the noise fit into 0.1.
  "20": { must: 0.1, aim: 0 },
  "20b": { must: 0.1, aim: 0 },
  "20c": { must: 0.1, aim: 0 },
  "20d": { must: 0.1, aim: 0 },
  // A cluster looks up who owns a key for each command, and its servers talk to each other.
  "21": { must: 1.25, aim: 1.1 },
  // Three values look at all parts and at each text twice, where a plain engine stops at the first that decides.
  "22": { must: 5, aim: 3.5 },
  "22b": mustAndAim(100_000),
  "23": { must: 50, aim: 30 },
  "23b": { must: 50, aim: 30 },
  "23c": { must: 50, aim: 30 },
  "23d": { must: 50, aim: 30 },
  // One sum more is read before the vote, and written in its commit.
  "24": { must: 1.5, aim: 1.25 },
  "24b": mustAndAim(1.05),
  "25": mustAndAim(2.1),
  "25b": mustAndAim(4),
  // Its one process answers four requests for each click. R9's read is one of them, and stays (docs/performance.md).
  "25c": { must: 3.2, aim: 2.6 },
  "25d": { must: 3.2, aim: 2.6 },
}

/** The goal of a row. Throws for one that has none. */
export function goalOf(scenario: string): Goal {
  const goal = goals[scenario]
  if (goal === undefined) throw new Error(`row ${scenario} has no goal: give it one in bench/report/goals.ts`)
  return goal
}
