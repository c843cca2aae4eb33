// The runs of the demo's agents: those that agents begin by themselves, and those of each try, with the try's hint.
import type { Lead, Try } from "../../sandbox/user-actions/tour.ts"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import { rulesScene } from "./rules-scene.ts"
import { firstAccount, floodSize, freshTurns, otherAccount, workersOf } from "./script.ts"
import { demoChannels, voucherSeconds } from "./setting.ts"
import { filledScenes, talkScenes } from "./talk-scenes.ts"

/** How a run is started: by which agent or team, with which message, for which person. */
export interface DemoRun {
  readonly agent?: string
  readonly team?: string
  readonly message: string
  readonly user: string
}

/** One try: its button, the runs that it starts, and where it leads. */
export interface Scene extends Omit<Try, "ended"> {
  readonly channel: string
  /** What happens, and what the person should do. A test plays each try to its end. */
  readonly hint: string
  /** `turn`: how often the button was pressed before. */
  readonly runs: (turn: number) => readonly DemoRun[]
  /** Set if the try leads to the summary of its runs, not to a card. The summary stays, and the runs wait on it. */
  readonly summary?: true
  /** Set if the try starts no run: it proposes other rules. */
  readonly proposes?: true
  /** How many of its runs have to be decided until the try ends. Default: all. */
  readonly enough?: number
  /** Set if the try ends only once its run has: the agent asks for more after the first decision. */
  readonly wholeRun?: true
  /** Words that the card must show, too, until the try ends: what people do once all is decided. */
  readonly until?: string
  readonly next?: SceneStep
}

/** What a second press does: it makes you another person, changes what waits, or lets the agent ask for more. */
export interface SceneStep {
  readonly label: string
  readonly hint: string
  readonly person?: string
  readonly change?: (turn: number) => { readonly from: string; readonly to: string }
  readonly asks?: Scene["runs"]
  /** The status that the try's first approval must have. With any other, nothing is done, and the hint says why. */
  readonly needs?: { readonly status: "pending" | "approved"; readonly hint: string }
}

const { approvals, payments, alice, bob } = sandboxCast
const { data, deploys, support } = demoChannels

const by = (agent: string, message: string, user = "rita@sandbox.example"): DemoRun => ({ agent, message, user })

/** Each run pauses at a gated tool. `--once` uses the first two; the live demo plays all of them in turn. */
export const demoRuns = [
  by("billing-agent", "refund INV-2041"),
  by("ops-agent", "clean up U-100"),
  by("deploy-agent", "restart checkout"),
  by("billing-agent", "refund INV-2077"),
  by("deploy-agent", "restart search"),
  by("billing-agent", "refund INV-1986"),
  by("ops-agent", "clean up U-238"),
  by("billing-agent", "refund INV-2102"),
  by("deploy-agent", "restart mail-worker"),
] as const satisfies readonly DemoRun[]

const asBob = (hint: string): SceneStep => ({ label: "Be Bob", person: bob, hint })

/** The person that you become when a try begins. */
export const beginner: Lead["person"] = alice

/** What the page says first. */
export const welcome =
  "This is a demo of Countersign: agents ask before they act, and you decide, in a Slack that runs on this machine " +
  "alone."

/** What the page says next, while nothing was tried. */
export const firstStep = "Press “Two people” first. It lets an agent ask, and leads you to its card."

/** What the page says next, once all was tried. A link to the auditor's page follows. */
export const lastStep = "You have tried it all. Now see what was decided, with the proof:"

/** All tries, in the order of the list. */
export const scenes: readonly Scene[] = [
  {
    id: "quorum",
    label: "Two people",
    about: "A payout waits until two people said yes",
    was: "two votes, and the payouts went out only after the second",
    channel: payments,
    hint: "Two payouts in one request. Press Approve: one more person is needed. Then press Be Bob, and approve, too.",
    runs: () => [by("billing-agent", "two payouts")],
    next: asBob("Approve: with two votes both payouts go out."),
  },
  ...filledScenes,
  {
    id: "amount",
    label: "An amount",
    about: "A refund above 1,000 EUR needs two people",
    was: "a rule that looks at the amount",
    channel: payments,
    hint: "Above 1,000 EUR two people must approve; the card says so. Press Approve, then Be Bob.",
    runs: () => [by("billing-agent", "refund INV-3310")],
    next: asBob("Approve: with two votes the refund goes out."),
  },
  {
    id: "class",
    label: "Bank details",
    about: "A mail that holds an IBAN needs two people",
    was: "a rule that looks for bank details, wherever they stand",
    channel: data,
    hint:
      "The mail holds an account number, so two people must approve. One rejection is enough: press Reject, and " +
      "give a reason.",
    runs: () => [by("data-agent", "mail an account")],
  },
  {
    id: "limit",
    label: "A limit",
    about: "Small amounts add up, until a second person has to agree",
    was: "a limit over several calls",
    channel: payments,
    hint:
      "Approve one of the two credits, then the other. Once you pressed the other, its card says that both together " +
      "are above the limit, and that one more person is needed. Then press Be Bob.",
    runs: (turn) => Array.from({ length: 2 }, () => by("shop-agent", `credit ${turn % freshTurns}`)),
    next: asBob("Approve the credit that is above the limit: with two votes it is given."),
  },
  {
    id: "change",
    label: "It changes",
    about: "The account changes after somebody voted",
    was: "a vote counts for what its person saw, and for nothing else",
    channel: payments,
    hint: "Press Approve. Then press Change It: the agent asks for another account, after you looked.",
    runs: () => [by("billing-agent", "one payout")],
    next: {
      label: "Change It",
      hint:
        "The card shows another account now, and your vote for the old one is void. Press Reject, and give a reason: " +
        "one rejection is enough.",
      change: (turn) => ({ from: firstAccount, to: otherAccount(turn) }),
      needs: { status: "pending", hint: "What is decided changes no more. Begin this try once more." },
    },
  },
  {
    id: "news",
    label: "What is new",
    about: "The card warns of another account than the last time",
    was: "the card says what is new",
    channel: payments,
    hint: "Approve this payment. Then press Ask Again: the agent wants to pay the same supplier once more.",
    runs: () => [by("billing-agent", "pay an invoice")],
    next: {
      label: "Ask Again",
      hint:
        "The card says what is new: this account and this amount were never approved. Approve it, or reject it " +
        "with a reason.",
      asks: (turn) => [by("billing-agent", `pay to another account ${turn % freshTurns}`)],
      needs: { status: "approved", hint: "First approve the payment. Then press Ask Again." },
    },
  },
  {
    id: "four-eyes",
    label: "Four eyes",
    about: "Who asked for something may not approve it",
    was: "four eyes: whoever asks does not approve",
    channel: payments,
    hint: "You, Alice, asked for this refund yourself. Press Approve: you are told why you may not. Then press Be Bob.",
    runs: () => [by("billing-agent", "refund INV-2102", "alice@sandbox.example")],
    next: asBob("Bob did not ask for it. Approve: the refund goes out."),
  },
  {
    id: "expiry",
    label: "An expiry",
    about: "Nobody decides in time",
    was: "time was up, and what nobody decided was rejected",
    channel: payments,
    hint:
      `Press nothing, and wait. After ${voucherSeconds / 2} s a reminder stands in the thread: press the replies ` +
      `below the card to read it. After ${voucherSeconds} s it is rejected, never approved.`,
    runs: () => [by("shop-agent", "voucher")],
  },
  {
    id: "secrets",
    label: "Secrets",
    about: "A key and a password are hidden, until you ask for them",
    was: "secrets stay hidden, and the record says who looked",
    channel: data,
    hint:
      "Key and password are masked. Press Details, then Reveal Masked Values: it shows both, and the record keeps " +
      "that you looked. Approve there.",
    runs: () => [by("data-agent", "export")],
  },
  {
    id: "danger",
    label: "Danger",
    about: "The call destroys something, so you are asked twice",
    was: "what cannot be undone asks twice",
    channel: approvals,
    hint: "Press Approve. You are asked once more, and read what will be gone: confirm in that dialog.",
    runs: () => [by("ops-agent", "drop a database")],
  },
  {
    id: "glass",
    label: "Breaking glass",
    about: "Two people are needed, and nobody else is awake",
    was: "one person decided in an emergency, and another one looked at it",
    channel: approvals,
    hint:
      "Two people must approve, but nobody answers. Press Details, then Break Glass…: give a reason, and type the " +
      "tool's name. Then press Be Bob.",
    runs: () => [by("ops-agent", "switch the region")],
    until: "says that breaking the glass was",
    next: asBob("You were passed over, and are asked now: press It Was Right, or It Was Not… with a reason."),
  },
  {
    id: "stop",
    label: "A stop",
    about: "An agent runs wild, and you stop it at once",
    was: "a stop held the agent at once, and its end let nothing out by itself",
    channel: approvals,
    hint:
      "This agent runs wild. Press Details, then Stop This Agent…, and say why: the card has no Approve any more. " +
      "Then press End It.",
    runs: () => [by("letter-agent", "send a newsletter")],
    next: {
      label: "End It",
      hint:
        "Until you end it, a request that names no agent, as a team's, is held, too. Type /approvals stops, press " +
        "End…, and confirm. Approve is back on the card: approve it, or reject it.",
    },
  },
  {
    id: "stand-in",
    label: "Standing in",
    about: "You go away, and somebody votes for you",
    was: "a vote for somebody who is away, and the card says for whom",
    channel: approvals,
    hint:
      "You, Alice, are the only one who may approve this. Type /approvals away into the box below: you are back " +
      "tomorrow, and Bob may vote for you. Then press Be Bob.",
    runs: () => [by("ops-agent", "replace a key")],
    until: '" for "',
    next: asBob("The card says that you may vote for Alice. Press Approve."),
  },
  {
    id: "flood",
    label: "A flood",
    about: `${floodSize} calls at once, in one message`,
    was: "a flood in one message, each call decided by itself",
    channel: deploys,
    hint: "One message names them all. Press Review One by One, and decide two of them; the others may wait.",
    runs: (turn) => workersOf(turn).map((worker) => by("deploy-agent", `restart ${worker}`)),
    summary: true,
    enough: 2,
  },
  {
    id: "team",
    label: "A team",
    about: "A team of agents asks, in its own channel",
    was: "a team's own rule, and its own channel",
    channel: support,
    hint:
      "A team of agents asks, and its rule sends the card to a channel of its own. Approve it, or reject it " +
      "with a reason.",
    runs: () => [{ team: "support-team", message: "close an account", user: "rita@sandbox.example" }],
  },
  {
    id: "sql",
    label: "SQL",
    about: "A statement of 40 lines, too long for a card",
    was: "nobody approves what they could not read",
    channel: data,
    hint: "The card shows the first lines, and how many are left. Press Review Details to read all, and approve there.",
    runs: () => [by("data-agent", "merge customers")],
  },
  rulesScene,
  ...talkScenes,
]
