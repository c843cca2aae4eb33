// The tries of more than yes and no: people fill in what is missing, send a call back, ask about it, or want no more.
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import type { Scene } from "./scenes.ts"

const { approvals, payments, bob, rita } = sandboxCast
const user = "rita@sandbox.example"

/** The tries in which a person gives what the agent lacks. */
export const filledScenes: readonly Scene[] = [
  {
    id: "form",
    label: "A form",
    about: "The agent does not know the account: you tell it",
    was: "a person gave what the agent did not know",
    channel: payments,
    hint: "Press Fill In… and give an account, an amount and a choice: anything will do. The agent pays with that.",
    runs: () => [{ agent: "billing-agent", message: "pay a supplier", user }],
  },
  {
    id: "result",
    label: "A result",
    about: "A person does the work and tells the agent how it went",
    was: "a person did the work, and the agent went on with the result",
    channel: approvals,
    hint:
      "Do as if you had renewed the certificate: press Enter Result… and say how it went. The agent goes on with " +
      "that.",
    runs: () => [{ agent: "ops-agent", message: "renew a certificate", user }],
  },
]

/** The tries in which people talk to the agent, or to whoever asked. */
export const talkScenes: readonly Scene[] = [
  {
    id: "send-back",
    label: "Send it back",
    about: "You say what the agent should ask instead, and it does",
    was: "not like this, but like that: the agent asked anew, and people voted on that",
    channel: payments,
    hint:
      "The amount is ten times too high. Press Details, then Send Back…, and write 54 as the amount. The agent " +
      "reads it and asks anew. Then press Be Bob.",
    runs: () => [{ agent: "billing-agent", message: "refund INV-4420", user }],
    wholeRun: true,
    next: {
      label: "Be Bob",
      person: bob,
      hint:
        "The new card says that Alice proposed its arguments, so she may not approve it. You may: look below this " +
        "card, and press Approve there.",
    },
  },
  {
    id: "ask",
    label: "A question",
    about: "You do not know enough to decide, so you ask",
    was: "a question and its answer, kept with the case",
    channel: payments,
    hint:
      "Why is this refunded? Press Details, then Ask…, and write what you want to know: Rita asked for it. Then " +
      "press Be Rita.",
    runs: () => [{ agent: "billing-agent", message: "refund INV-5101", user }],
    next: {
      label: "Be Rita",
      person: rita,
      hint:
        "Open the direct messages of Countersign, press Answer…, and write something. Then be Alice or Bob again, " +
        "and approve the refund.",
    },
  },
  {
    id: "again",
    label: "Not again",
    about: "The agent asks the same thing again and again",
    was: "one rejection that counted for the same call for a while",
    channel: approvals,
    hint:
      "Press Reject, give a reason, and tick the box for the same call. The agent tries twice more: both are " +
      "rejected by themselves, and this card says so.",
    runs: () => [{ agent: "ops-agent", message: "purge the cache", user }],
    until: "Asked again 2 times",
  },
]
