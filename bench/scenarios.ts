// Lists every scenario by its numbers, with the file that measures it. docs/performance.md explains the goals.

/** A file of scenarios. `ids` are what its figures are called. */
export interface ScenarioFile {
  readonly name: string
  readonly ids: readonly string[]
  readonly about: string
  /** True if `--quick` makes it short. */
  readonly quick?: boolean
}

/** In the order in which they run. */
export const scenarioFiles: readonly ScenarioFile[] = [
  { name: "click", ids: ["1", "1b", "2", "3"], about: "a click, until its card says so, and until Slack is told" },
  { name: "announce", ids: ["4"], about: "a new approval, from the poll to its card" },
  { name: "poll", ids: ["5", "6", "6b", "7"], about: "polls that find nothing new, and how long they block" },
  { name: "burst", ids: ["8", "8b"], about: "a hundred clicks at once over a slow network" },
  { name: "pace", ids: ["9", "9b", "10"], about: "a card a second in each channel, and one channel that is refused" },
  { name: "arrivals", ids: ["11", "11b"], about: "approvals that arrive at random" },
  { name: "start", ids: ["12"], about: "from the command to listening" },
  { name: "memory", ids: ["13", "13b"], about: "memory at rest, and after work" },
  { name: "redis-size", ids: ["14", "14b", "14c"], about: "what an approval takes in Redis, pending and closed" },
  { name: "gate", ids: ["15", "15b"], about: "a token in a request to the service" },
  {
    name: "hostile",
    ids: ["17"],
    about: "390 kB of hostile text in any field, or many values, and how long it blocks",
  },
  { name: "known", ids: ["18", "18b"], about: "what a start reads to know a long ledger" },
  { name: "kill", ids: ["16"], about: "kill -9 between the acknowledgement and the resolve" },
  { name: "latency", ids: ["19"], about: "clicks at a steady rate, whatever the answers", quick: true },
  { name: "growth", ids: ["20", "20b", "20c", "20d"], about: "100 to 100,000 pending approvals", quick: true },
  { name: "cluster", ids: ["21"], about: "a click on a Redis Cluster, against one server" },
  { name: "conditions", ids: ["22", "22b"], about: "conditions of rules, against a plain engine of CEL" },
  { name: "pages", ids: ["23", "23b", "23c", "23d"], about: "a page of many runs, a search, and who waits meanwhile" },
  { name: "rules", ids: ["24", "24b"], about: "clicks and polls under conditions and limits, against neither" },
  {
    name: "peer",
    ids: ["25", "25b", "25c", "25d"],
    about: "clicks against AgentOS's own Slack interface, on one AgentOS",
    quick: true,
  },
  { name: "ledger-report", ids: ["26", "26b"], about: "a report over a ledger of 100,000 cases", quick: true },
]
