// The limit that each row must reach, and the goal that it aims at. Ratios are to the floor of the same run.

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
  // The two networks of a click take 100 ms. Nobody notices 10 ms of our own, and the floor is 1 ms.
  "1": { must: 9, aim: 6 },
  "1b": { must: 10, aim: 8 },
  "2": { must: 6, aim: 4.5 },
  "3": { must: 2.2, aim: 1.5 },
  // An approval waits half a poll for its card, 500 ms.
  "4": { must: 8, aim: 6 },
  "5": mustAndAim(2.2),
  // A press beside it has three seconds, and its person sees nothing of 50 ms.
  "6": { must: 35, aim: 25 },
  "6b": { must: 50, aim: 30 },
  "7": { must: 2.2, aim: 1.6 },
  // A hundred people press at once, and the last one sees the card change within a second.
  "8": { must: 7, aim: 5 },
  "8b": { must: 8, aim: 5 },
  "9": mustAndAim(1.05),
  // Slack's pace is 1,000 ms a channel, ours 1,030, and a network may take these 30 back. A refusal costs a second.
  "9b": { must: 3, aim: 0 },
  "10": mustAndAim(1.2),
  // Half a poll in the mean, and 30 ms of our own.
  "11": mustAndAim((1.1 * (pollMs / 2) + 30) / (pollMs / 2)),
  "11b": mustAndAim((pollMs + 50) / (0.99 * pollMs)),
  "12": mustAndAim(1.8),
  "13": mustAndAim(3),
  "13b": mustAndAim(30),
  // 10,000 that wait, as many as may have cards, take 13 MB of a Redis.
  "14": mustAndAim(1_300),
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
  // Up to the 2,000 cases that a list or a Home looks through it grows with them; with 100,000 it is there after 0.2 s.
  "20c": { must: 0.5, aim: 0.1 },
  "20d": { must: 0.5, aim: 0.1 },
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
  "25c": mustAndAim(2.6),
  "25d": mustAndAim(2.6),
  // A report over a year is worth a short wait, and must not need a larger machine.
  "26": { must: 20_000, aim: 15_000 },
  "26b": mustAndAim(200),
}

/** The goal of a row. Throws for one that has none. */
export function goalOf(scenario: string): Goal {
  const goal = goals[scenario]
  if (goal === undefined) throw new Error(`row ${scenario} has no goal: give it one in bench/report/goals.ts`)
  return goal
}
