// The demo's agents: what they are called, which tools they have, and what each of their runs wants to do.
import type { ScriptInput } from "../../service/components/script.ts"

/** How a run is started: which agent or team, with which message, for whom. */
export interface DemoRun {
  readonly agent?: string
  readonly team?: string
  readonly message: string
  readonly user: string
}

const rita = "rita@sandbox.example"
const alice = "alice@sandbox.example"

/** The data of refunds that the Billing Agent asks for by itself, one after the other. */
const refunds = [
  { invoice: "INV-2041", amount: 129.9, currency: "EUR", reason: "charged twice" },
  { invoice: "INV-2077", amount: 18, currency: "EUR", reason: "the parcel never came" },
  { invoice: "INV-1986", amount: 2499, currency: "USD", reason: "wrong size, sent back" },
  { invoice: "INV-2102", amount: 54.5, currency: "GBP", reason: "cancelled within a day" },
] as const

const restarts = [
  { service: "checkout", region: "eu-central-1" },
  { service: "search", region: "us-east-1" },
  { service: "mail-worker", region: "ap-south-1" },
] as const

const cleanups = [
  { user_id: "U-100", tables: ["sessions", "invoices"], hard: true },
  { user_id: "U-238", tables: ["profile"], hard: false },
] as const

/** Each run pauses at a gated tool. The first two are for `--once`; the live demo plays all of them in turn. */
export const demoRuns = [
  { agent: "billing-agent", message: "refund INV-2041", user: rita },
  { agent: "ops-agent", message: "clean up U-100", user: rita },
  { agent: "deploy-agent", message: "restart checkout", user: rita },
  { agent: "billing-agent", message: "refund INV-2077", user: rita },
  { agent: "deploy-agent", message: "restart search", user: rita },
  { agent: "billing-agent", message: "refund INV-1986", user: rita },
  { agent: "ops-agent", message: "clean up U-238", user: rita },
  { agent: "billing-agent", message: "refund INV-2102", user: rita },
  { agent: "deploy-agent", message: "restart mail-worker", user: rita },
] as const satisfies readonly DemoRun[]

/** The runs that the tour starts, by the id of their try. */
export const tourRuns = {
  form: { agent: "billing-agent", message: "pay a supplier", user: rita },
  result: { agent: "ops-agent", message: "renew a certificate", user: rita },
  quorum: { agent: "billing-agent", message: "two payouts", user: rita },
  "four-eyes": { agent: "billing-agent", message: "refund INV-2102", user: alice },
  expiry: { agent: "shop-agent", message: "voucher", user: rita },
  secrets: { agent: "data-agent", message: "export", user: rita },
  danger: { agent: "ops-agent", message: "drop a database", user: rita },
  team: { team: "support-team", message: "close an account", user: rita },
  sql: { agent: "data-agent", message: "merge customers", user: rita },
} as const satisfies Readonly<Record<string, DemoRun>>

/** A statement of 40 lines, as agents write them. */
const mergeCustomers = `-- Merge customers that have the same address, keep the oldest.
BEGIN;

CREATE TEMP TABLE doubles AS
SELECT
  lower(trim(email)) AS email,
  min(created_at)    AS oldest,
  count(*)           AS rows
FROM customers
WHERE email IS NOT NULL
GROUP BY 1
HAVING count(*) > 1;

CREATE TEMP TABLE kept AS
SELECT c.id, c.email
FROM customers c
JOIN doubles d
  ON d.email = lower(trim(c.email))
 AND d.oldest = c.created_at;

UPDATE orders o
SET customer_id = k.id
FROM customers c
JOIN kept k
  ON k.email = lower(trim(c.email))
WHERE o.customer_id = c.id
  AND c.id <> k.id;

UPDATE invoices i
SET customer_id = k.id
FROM customers c
JOIN kept k
  ON k.email = lower(trim(c.email))
WHERE i.customer_id = c.id
  AND c.id <> k.id;

DELETE FROM customers
WHERE lower(trim(email)) IN (SELECT email FROM doubles)
  AND id NOT IN (SELECT id FROM kept);

COMMIT;`

const billing = {
  id: "billing-agent",
  name: "Billing Agent",
  tools: [
    { name: "look_up_invoice" },
    { name: "refund_payment", gated: true },
    { name: "send_payout", gated: true },
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
      name: "renew a certificate",
      turns: [[{ tool: "renew_certificate", args: { domain: "shop.example.com", valid_days: 90 } }]],
      answer: "The certificate is renewed.",
    },
  ],
}

const deploy = {
  id: "deploy-agent",
  name: "Deploy Agent",
  tools: [{ name: "restart_service", gated: true }],
  runs: restarts.map((args) => ({
    name: `restart ${args.service}`,
    turns: [[{ tool: "restart_service", args: { ...args } }]],
    answer: "The service was restarted.",
  })),
}

const shop = {
  id: "shop-agent",
  name: "Shop Agent",
  tools: [{ name: "issue_voucher", gated: true }],
  runs: [
    {
      name: "voucher",
      turns: [[{ tool: "issue_voucher", args: { customer: "C-8813", value: 25, currency: "EUR" } }]],
      answer: "The voucher is sent.",
    },
  ],
}

const data = {
  id: "data-agent",
  name: "Data Agent",
  tools: [
    { name: "run_sql", gated: true },
    { name: "export_customers", gated: true },
  ],
  runs: [
    {
      name: "merge customers",
      turns: [[{ tool: "run_sql", args: { database: "shop", statement: mergeCustomers } }]],
      answer: "The customers are merged.",
    },
    {
      name: "export",
      turns: [
        [
          {
            tool: "export_customers",
            args: {
              target: "https://crm.example.com/import",
              api_key: "demo-8f2b6c1d90aa47e3",
              login: { user: "exporter", password: "correct horse battery" },
              columns: ["name", "email", "country"],
            },
          },
        ],
      ],
      answer: "The export is done.",
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
export const demoScript: ScriptInput = { agents: [billing, ops, deploy, shop, data], teams: [support] }

/** More than `slack.summary_above` of the demo. */
export const floodSize = 12

/**
 * What agents of the tour ask for without a run of their own; nothing for its other scenes. `customer` is another one
 * each time: else the sum of the last time counts.
 */
export function tourCalls(scene: string, customer: string) {
  const call = (agent: string, tool_name: string, tool_args: Readonly<Record<string, string | number>>) => ({
    tool_name,
    tool_args,
    agent_id: `${agent.toLowerCase()}-agent`,
    source_name: `${agent} Agent`,
    user_id: rita,
  })
  switch (scene) {
    case "change":
      return [call("Billing", "send_payout", { iban: "DE02 1203 0000 0000 2020 51", amount: 4300, currency: "EUR" })]
    case "amount": {
      const reason = "The order never arrived."
      return [call("Billing", "refund_payment", { invoice: "INV-2077", amount: 1900, currency: "EUR", reason })]
    }
    case "class": {
      const text = "Please pay to GB82 WEST 1234 5698 7654 32 from now on."
      return [call("Data", "send_mail", { to: "partner@example.org", text })]
    }
    case "limit": {
      const credit = call("Shop", "give_credit", { customer: `C-${customer}`, amount: 60, currency: "EUR" })
      return [credit, credit]
    }
    case "news":
    case "news-again": {
      const iban = scene === "news" ? "DE02 1203 0000 0000 2020 51" : "LT60 1010 0123 4567 8901"
      const amount = scene === "news" ? 310 : 4980
      return [call("Billing", "pay_invoice", { supplier: "Nordwind Paper GmbH", iban, amount, currency: "EUR" })]
    }
    case "flood":
      return Array.from({ length: floodSize }, (_, at) =>
        call("Deploy", "restart_service", { service: `worker-${at + 1}`, region: "eu-central-1" }),
      )
    default:
      return []
  }
}
