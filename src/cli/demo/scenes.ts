// What the demo's agents do: the runs that they begin by themselves, and the runs of each try, with its hint.
import type { Lead, Try } from "../../sandbox/user-actions/tour.ts"
import { sandboxCast } from "../../sandbox/workspace/seed.ts"
import { firstAccount, floodSize, freshTurns, otherAccount, workersOf } from "./script.ts"
import { demoChannels, voucherSeconds } from "./setting.ts"

/** How a run is started: by which agent or team, with which message, for whom. */
export interface DemoRun {
  readonly agent?: string
  readonly team?: string
  readonly message: string
  readonly user: string
}

/** One try: its button, the runs that it starts, and where it leads. */
export interface Scene extends Try {
  readonly channel: string
  /** What happens, and what the person should do. A test plays each try to its end. */
  readonly hint: string
  /** `turn`: how often the button was pressed before. */
  readonly runs: (turn: number) => readonly DemoRun[]
  /** Set if the try leads to the summary of its runs, not to a card. */
  readonly summary?: true
  readonly next?: SceneStep
}

/** What a second press does: it makes you another person, changes what waits, or lets the agent ask for more. */
export interface SceneStep {
  readonly label: string
  readonly hint: string
  readonly person?: string
  readonly change?: (turn: number) => { readonly from: string; readonly to: string }
  readonly asks?: Scene["runs"]
  /** The status that the try's first approval must have. If it has another, nothing is done, and the hint says why. */
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

const asBob = (hint: string): SceneStep => ({ label: "Be Bob", person: bob, hint: `You are Bob now. ${hint}` })

/** The person that you are when a try begins. */
export const beginner: Lead["person"] = alice

/** All tries, in the order of their buttons. */
export const scenes: readonly Scene[] = [
  {
    id: "form",
    label: "A form",
    about: "The agent needs values from you",
    channel: payments,
    hint: "The agent does not know the account. Press Fill In… and give what is missing: the agent pays with that.",
    runs: () => [by("billing-agent", "pay a supplier")],
  },
  {
    id: "result",
    label: "A result",
    about: "A human does the work and says how it went",
    channel: approvals,
    hint: "The agent cannot do this itself. Press Enter Result… and say how it went: the agent goes on with that.",
    runs: () => [by("ops-agent", "renew a certificate")],
  },
  {
    id: "quorum",
    label: "Two people",
    about: "A payout needs two votes",
    channel: payments,
    hint: "Approve as Alice: one more is needed. Then be Bob and approve, too.",
    runs: () => [by("billing-agent", "two payouts")],
    next: asBob("Approve: with two votes both payouts go out."),
  },
  {
    id: "amount",
    label: "An amount",
    about: "Above 1,000 two people",
    channel: payments,
    hint: "The rule looks at the amount: above 1,000 EUR two people must approve. Approve, then be Bob.",
    runs: () => [by("billing-agent", "refund INV-3310")],
    next: asBob("Approve: with two votes the refund goes out."),
  },
  {
    id: "class",
    label: "Bank details",
    about: "A mail that holds an IBAN",
    channel: data,
    hint: "The mail holds an account number, so two people must approve. Reject it: one rejection is enough.",
    runs: () => [by("data-agent", "mail an account")],
    next: asBob("Approve or reject: two approvals send the mail, one rejection stops it."),
  },
  {
    id: "limit",
    label: "A limit",
    about: "Small amounts add up",
    channel: payments,
    hint: "Approve both credits as Alice: the second one passes the limit, so it needs two people. Then be Bob.",
    runs: (turn) => Array.from({ length: 2 }, () => by("shop-agent", `credit ${turn % freshTurns}`)),
    next: asBob("Approve the credit that is above the limit: with two votes it is given."),
  },
  {
    id: "change",
    label: "It changes",
    about: "The content changes after you looked",
    channel: payments,
    hint: "Approve as Alice. Then let the account number change, as if the agent had second thoughts.",
    runs: () => [by("billing-agent", "one payout")],
    next: {
      label: "Change It",
      hint: "The card shows another account now. Votes for the old one are void: two people have to approve anew.",
      change: (turn) => ({ from: firstAccount, to: otherAccount(turn) }),
      needs: { status: "pending", hint: "What is decided changes no more. Press It changes for another payout." },
    },
  },
  {
    id: "news",
    label: "What is new",
    about: "Other bank details than the last time",
    channel: payments,
    hint: "Approve this payment as Alice. Then let the agent ask again, for the same supplier.",
    runs: () => [by("billing-agent", "pay an invoice")],
    next: {
      label: "Ask Again",
      hint: "The card says what is new: neither this account nor as much was approved before. Approve or reject.",
      asks: (turn) => [by("billing-agent", `pay to another account ${turn % freshTurns}`)],
      needs: { status: "approved", hint: "First approve the payment as Alice. Then let the agent ask again." },
    },
  },
  {
    id: "four-eyes",
    label: "Four eyes",
    about: "Who asked may not approve",
    channel: payments,
    hint: "You are Alice, and Alice asked for this refund. Press Approve: you are told why not. Bob may.",
    runs: () => [by("billing-agent", "refund INV-2102", "alice@sandbox.example")],
    next: asBob("Bob did not ask for it. Approve: the refund goes out."),
  },
  {
    id: "expiry",
    label: "An expiry",
    about: "Nobody decides in time",
    channel: payments,
    hint: `Wait. At ${voucherSeconds / 2} s the thread reminds. At ${voucherSeconds} s it is rejected, never approved.`,
    runs: () => [by("shop-agent", "voucher")],
  },
  {
    id: "secrets",
    label: "Secrets",
    about: "Key and password are masked",
    channel: data,
    hint: "Key and password are masked. Press Review Details, then reveal one: the ledger keeps that you looked.",
    runs: () => [by("data-agent", "export")],
  },
  {
    id: "danger",
    label: "Danger",
    about: "The call destroys something",
    channel: approvals,
    hint: "Press Approve: you are asked once more, with the name of what will be gone.",
    runs: () => [by("ops-agent", "drop a database")],
  },
  {
    id: "flood",
    label: "A flood",
    about: `${floodSize} calls at once`,
    channel: deploys,
    hint: "A summary names what waits: press Review One by One. The others get their own cards, one each second.",
    runs: (turn) => workersOf(turn).map((worker) => by("deploy-agent", `restart ${worker}`)),
    summary: true,
  },
  {
    id: "team",
    label: "A team",
    about: "A team's own call",
    channel: support,
    hint: "A team of agents asks, and its rule sends the card to a channel of its own. Approve or reject.",
    runs: () => [{ team: "support-team", message: "close an account", user: "rita@sandbox.example" }],
  },
  {
    id: "sql",
    label: "SQL",
    about: "A statement of 40 lines",
    channel: data,
    hint: "The card shows the first lines and says how many are left. Press Review Details to read all and to approve.",
    runs: () => [by("data-agent", "merge customers")],
  },
]
