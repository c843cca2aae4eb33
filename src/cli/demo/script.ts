// The demo's agents: their names, their tools, and what each of their runs wants to do.
import type { ScriptInput } from "../../service/components/script.ts"
import { dataAgent } from "./data-agent.ts"

/** How many different runs a try has. They are numbered; after the last one, the first comes again. */
export const freshTurns = 100
const fresh = Array.from({ length: freshTurns }, (_, turn) => turn)

/** How many services a flood restarts: more than `slack.summary_above` of the demo. */
export const floodSize = 12

/** The services of one flood. Two floods share no service, so that a summary shows to which flood it belongs. */
export function workersOf(turn: number): readonly string[] {
  return Array.from({ length: floodSize }, (_, at) => `worker-${1001 + (turn % freshTurns) * floodSize + at}`)
}

/** The refunds that the Billing Agent asks for. The last one belongs to a try. */
const refunds = [
  { invoice: "INV-2041", amount: 129.9, currency: "EUR", reason: "charged twice" },
  { invoice: "INV-2077", amount: 18, currency: "EUR", reason: "the parcel never came" },
  { invoice: "INV-1986", amount: 2499, currency: "USD", reason: "wrong size, sent back" },
  { invoice: "INV-2102", amount: 54.5, currency: "GBP", reason: "cancelled within a day" },
  { invoice: "INV-3310", amount: 1900, currency: "EUR", reason: "the order never arrived" },
] as const

const restarts = [
  { service: "checkout", region: "eu-central-1" },
  { service: "search", region: "us-east-1" },
  { service: "mail-worker", region: "ap-south-1" },
]

const cleanups = [
  { user_id: "U-100", tables: ["sessions", "invoices"], hard: true },
  { user_id: "U-238", tables: ["profile"], hard: false },
] as const

/** The account before a try changes it. */
export const firstAccount = "DE02 1203 0000 0000 2020 51"

/** Another account, a new one for each turn. */
export function otherAccount(turn: number): string {
  return `LT60 1010 0123 4567 ${8901 + turn}`
}

function payment(name: string, iban: string, amount: number) {
  return {
    name,
    turns: [[{ tool: "pay_invoice", args: { supplier: "Nordwind Paper GmbH", iban, amount, currency: "EUR" } }]],
    answer: "The invoice is paid.",
  }
}

const billing = {
  id: "billing-agent",
  name: "Billing Agent",
  tools: [
    { name: "look_up_invoice" },
    { name: "refund_payment", gated: true },
    { name: "send_payout", gated: true },
    { name: "pay_invoice", gated: true },
    {
      name: "pay_supplier",
      gated: true,
      pause: "user_input" as const,
      fields: [
        { name: "iban", field_type: "str", description: "The account that the money goes to." },
        { name: "amount", field_type: "float", description: "In EUR, as on the invoice." },
        { name: "pay_at_once", field_type: "bool", description: "An instant transfer costs 0.50 EUR." },
      ],
    },
  ],
  runs: [
    ...refunds.map((args) => ({
      name: `refund ${args.invoice}`,
      turns: [
        [{ tool: "look_up_invoice", args: { invoice: args.invoice } }],
        [{ tool: "refund_payment", args: { ...args } }],
      ],
      answer: "The refund is on its way.",
    })),
    {
      name: "refund INV-4420",
      turns: [
        [{ tool: "refund_payment", args: { invoice: "INV-4420", amount: 540, currency: "EUR", reason: "broken" } }],
      ],
      answer: "The refund is on its way.",
      listens: true,
    },
    {
      name: "refund INV-5101",
      turns: [
        [{ tool: "refund_payment", args: { invoice: "INV-5101", amount: 75, currency: "EUR", reason: "other" } }],
      ],
      answer: "The refund is on its way.",
    },
    {
      name: "two payouts",
      turns: [
        [
          { tool: "send_payout", args: { iban: "DE89 3704 0044 0532 0130 00", amount: 1200, currency: "EUR" } },
          { tool: "send_payout", args: { iban: "FR14 2004 1010 0505 0001 3M02 606", amount: 800, currency: "EUR" } },
        ],
      ],
      answer: "Both payouts are sent.",
    },
    {
      name: "one payout",
      turns: [[{ tool: "send_payout", args: { iban: firstAccount, amount: 4300, currency: "EUR" } }]],
      answer: "The payout is sent.",
    },
    payment("pay an invoice", firstAccount, 310),
    ...fresh.map((turn) => payment(`pay to another account ${turn}`, otherAccount(turn), 4980 + 10 * turn)),
    {
      name: "pay a supplier",
      turns: [[{ tool: "pay_supplier", args: { supplier: "Nordwind Paper GmbH", invoice: "NP-5512" } }]],
      answer: "The supplier is paid.",
    },
  ],
}

const ops = {
  id: "ops-agent",
  name: "Ops Agent",
  tools: [
    { name: "delete_user_data", gated: true },
    { name: "drop_database", gated: true },
    { name: "switch_region", gated: true },
    { name: "replace_key", gated: true },
    { name: "purge_cache", gated: true },
    { name: "renew_certificate", gated: true, pause: "external_execution" as const },
  ],
  runs: [
    ...cleanups.map((args) => ({
      name: `clean up ${args.user_id}`,
      turns: [[{ tool: "delete_user_data", args: { ...args, tables: [...args.tables] } }]],
      answer: "The user's data are gone.",
    })),
    {
      name: "drop a database",
      turns: [[{ tool: "drop_database", args: { database: "orders_2019", host: "db-eu-2", keep_backup: false } }]],
      answer: "The database is gone.",
    },
    {
      name: "switch the region",
      turns: [[{ tool: "switch_region", args: { service: "shop", from: "eu-1", to: "eu-2" } }]],
      answer: "The shop runs in eu-2.",
    },
    {
      name: "replace a key",
      turns: [[{ tool: "replace_key", args: { service: "mail-worker" } }]],
      answer: "The key is replaced.",
    },
    {
      name: "purge the cache",
      turns: Array.from({ length: 3 }, () => [{ tool: "purge_cache", args: { service: "shop", region: "eu-1" } }]),
      answer: "The cache is as it was.",
    },
    {
      name: "renew a certificate",
      turns: [[{ tool: "renew_certificate", args: { domain: "shop.example.com", valid_days: 90 } }]],
      answer: "The certificate is renewed.",
    },
  ],
}

const deploy = {
  id: "deploy-agent",
  name: "Deploy Agent",
  tools: [
    { name: "restart_service", gated: true },
    { name: "restart_worker", gated: true },
  ],
  runs: [
    ...restarts.map((args) => restart("restart_service", args)),
    ...fresh.flatMap(workersOf).map((service) => restart("restart_worker", { service, region: "eu-central-1" })),
  ],
}

function restart(tool: string, args: { readonly service: string; readonly region: string }) {
  return {
    name: `restart ${args.service}`,
    turns: [[{ tool, args: { ...args } }]],
    answer: "The service was restarted.",
  }
}

const shop = {
  id: "shop-agent",
  name: "Shop Agent",
  tools: [
    { name: "issue_voucher", gated: true },
    { name: "give_credit", gated: true },
  ],
  runs: [
    ...fresh.map((turn) => ({
      name: `credit ${turn}`,
      turns: [[{ tool: "give_credit", args: { customer: `C-${2001 + turn}`, amount: 60, currency: "EUR" } }]],
      answer: "The customer has the credit.",
    })),
    {
      name: "voucher",
      turns: [[{ tool: "issue_voucher", args: { customer: "C-8813", value: 25, currency: "EUR" } }]],
      answer: "The voucher is sent.",
    },
  ],
}

/** An agent of its own, as a stop of it holds up no other try. */
const letters = {
  id: "letter-agent",
  name: "Letter Agent",
  tools: [{ name: "send_newsletter", gated: true }],
  runs: [
    {
      name: "send a newsletter",
      turns: [[{ tool: "send_newsletter", args: { subject: "Last chance!", list: "all customers", copies: 40_000 } }]],
      answer: "The newsletter is sent.",
    },
  ],
}

const support = {
  id: "support-team",
  name: "Support Team",
  members: ["shop-agent", "billing-agent"],
  tools: [{ name: "close_account", gated: true }],
  runs: [
    {
      name: "close an account",
      turns: [
        [{ tool: "close_account", args: { customer: "C-4417", reason: "asked by e-mail", refund_balance: true } }],
      ],
      answer: "The account is closed.",
    },
  ],
}

/** The script that the embedded service plays. */
export const demoScript: ScriptInput = { agents: [billing, ops, deploy, shop, dataAgent, letters], teams: [support] }
