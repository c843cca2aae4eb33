// The demo's agents: what they are called, and what they want to do.
import type { ScriptInput } from "../../service/components/script.ts"

/** Each run pauses at a gated tool; `agent` and `message` start it. */
export const demoRuns = [
  { agent: "billing-agent", message: "refund", user: "rita@sandbox.example" },
  { agent: "ops-agent", message: "cleanup", user: "rita@sandbox.example" },
  { agent: "billing-agent", message: "two-payouts", user: "rita@sandbox.example" },
  { agent: "ops-agent", message: "restart", user: "rita@sandbox.example" },
] as const

/** The script that the embedded service plays. */
export const demoScript: ScriptInput = {
  agents: [
    {
      id: "billing-agent",
      name: "Billing Agent",
      tools: [
        { name: "look_up_invoice" },
        { name: "refund_payment", gated: true },
        { name: "send_payout", gated: true },
      ],
      runs: [
        {
          name: "refund",
          turns: [
            [{ tool: "look_up_invoice", args: { invoice: "INV-2041" } }],
            [
              {
                tool: "refund_payment",
                args: { invoice: "INV-2041", amount: 129.9, currency: "EUR", reason: "charged twice" },
              },
            ],
          ],
          answer: "The refund is on its way.",
        },
        {
          name: "two-payouts",
          turns: [
            [
              { tool: "send_payout", args: { iban: "DE89 3704 0044 0532 0130 00", amount: 1200, currency: "EUR" } },
              {
                tool: "send_payout",
                args: { iban: "FR14 2004 1010 0505 0001 3M02 606", amount: 800, currency: "EUR" },
              },
            ],
          ],
          answer: "Both payouts are sent.",
        },
      ],
    },
    {
      id: "ops-agent",
      name: "Ops Agent",
      tools: [
        { name: "delete_user_data", gated: true },
        { name: "restart_service", gated: true },
      ],
      runs: [
        {
          name: "cleanup",
          turns: [
            [{ tool: "delete_user_data", args: { user_id: "U-100", tables: ["sessions", "invoices"], hard: true } }],
          ],
          answer: "The user's data are gone.",
        },
        {
          name: "restart",
          turns: [[{ tool: "restart_service", args: { service: "checkout", region: "eu-central-1" } }]],
          answer: "The service was restarted.",
        },
      ],
    },
  ],
}
