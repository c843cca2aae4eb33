// The demo's setting: the workspace's channels, and the bot's config, with a rule for each thing to try.
import { aChannel, defaultSeed, sandboxCast, type WorkspaceSeed } from "../../sandbox/workspace/seed.ts"
import { manifest } from "../../slack/manifest.ts"

/** The channels that the demo has besides those of the default workspace. */
export const demoChannels = { data: "C0DATA", deploys: "C0DEPLOYS", support: "C0SUPPORT" } as const

/** How much time people have to decide about the tour's voucher, in seconds. */
export const voucherSeconds = 30

/** The bot's config. Credentials come from the environment. `gifts`: how many people have to approve a gift. */
export function demoConfig(dataFolder: string, gifts = 2): string {
  const { payments, approvals, approvers, alice, bob, gus, sam } = sandboxCast
  const common = `approvers: [${approvers}]
    unknown_requester: allow
    require_reason: reject`
  const refund = `say: "Refund {amount} {currency} for the invoice {invoice} ({reason})"`
  // Details quotes what Rita asked for, and Rita gets the agent's answer in the end.
  const money = `routes: [${payments}]
    context: request
    show_result: requester`
  // Gus is a guest, and Sam is of another workspace: it is not enough that a rule lists them.
  const rest = `routes: [${approvals}]
    approvers: [${approvers}, ${gus}, ${sam}]
    unknown_requester: allow
    require_reason: reject`
  return `
installation: demo
data_folder: ${JSON.stringify(dataFolder)}
http: { port: 0, read: { algorithm: HS256, verification_keys: "\${READ_KEY}" } }
slack: { summary_above: 5 }
instances:
  - name: default
    url: \${PLATFORM_URL}
    token: \${PLATFORM_TOKEN}
    resume: decided
    resume_token: \${RESUME_TOKEN}
rules_change: { approvers: [${alice}, ${bob}], route: ${approvals} }
classes:
  - { name: iban, checksum: iban }
rules:
  # Each rule is about one tool, so that a sentence can say what a call of it does.
  - name: support
    match: { team: support-team, tool: close_account }
    match_unknown: false
    routes: [${demoChannels.support}]
    say: "Close the account of customer {customer} ({reason})"
    ${common}
  - name: payouts
    match: { agent: billing-agent, tool: send_payout }
    routes: [${payments}]
    quorum: 2
    say: "Pay out {amount} {currency} to the account {iban}"
    ${common}
  - name: credits
    match: { agent: shop-agent, tool: give_credit }
    routes: [${payments}]
    # Within an hour a customer gets at most 100 without a second person.
    limit: { sum: args.amount, per: args.customer, window: 1h, above: 100, then: { quorum: 2 } }
    say: "Give customer {customer} a credit of {amount} {currency}"
    ${common}
  - name: vouchers
    match: { agent: shop-agent, tool: issue_voucher }
    routes: [${payments}]
    remind_after: ${voucherSeconds / 2}s
    expire_after: ${voucherSeconds}s
    on_expiry: reject
    say: "Send customer {customer} a voucher of {value} {currency}"
    ${common}
  # Nobody sends gifts: the try of a change of the rules is about this rule, so nobody else is asked anew.
  - name: gifts
    match: { agent: shop-agent, tool: send_gift }
    routes: [${payments}]
    quorum: ${gifts}
    say: "Send customer {customer} a gift of {value} {currency}"
    ${common}
  - name: large-refunds
    match: { agent: billing-agent, tool: refund_payment }
    when: args.amount > 1000 && args.currency == "EUR"
    routes: [${payments}]
    quorum: 2
    ${refund}
    ${common}
  - name: refunds
    match: { agent: billing-agent, tool: refund_payment }
    ${money}
    ${refund}
    ${common}
  - name: invoices
    match: { agent: billing-agent, tool: pay_invoice }
    ${money}
    say: "Pay {amount} {currency} to {supplier}, account {iban}"
    ${common}
  - name: suppliers
    match: { agent: billing-agent, tool: pay_supplier }
    ${money}
    say: "Pay the invoice {invoice} of {supplier}"
    ${common}
  - name: databases
    match: { tool: drop_database }
    routes: [${approvals}]
    danger: true
    risk: high
    say: "Delete the database {database} on {host} (keep a backup: {keep_backup})"
    ${common}
  - name: outages
    match: { agent: ops-agent, tool: switch_region }
    routes: [${approvals}]
    quorum: 2
    risk: medium
    break_glass: { approvers: [${alice}], reviewers: [${bob}], route: ${approvals} }
    say: "Move the service {service} from {from} to {to}"
    ${common}
  - name: caches
    match: { agent: ops-agent, tool: purge_cache }
    routes: [${approvals}]
    # Whoever rejects it may say so for the same call for a while.
    after_rejection: { same_call: 10m }
    say: "Empty the cache of the service {service} in {region}"
    ${common}
  - name: keys
    match: { agent: ops-agent, tool: replace_key }
    routes: [${approvals}]
    say: "Replace the key of the service {service}"
    approvers: [${alice}]
    # While Alice is away, Bob may vote for her.
    stand_ins: [${bob}]
    unknown_requester: allow
    require_reason: reject
  - name: bank-details
    match: { agent: data-agent, tool: send_mail }
    when: '"iban" in call.classes'
    routes: [${demoChannels.data}]
    quorum: 2
    say: "Mail bank details to {to}"
    ${common}
  - name: exports
    match: { agent: data-agent, tool: export_customers }
    routes: [${demoChannels.data}]
    mask: [api_key, password]
    risk: medium
    say: "Send the list of our customers to {target}"
    ${common}
  - name: statements
    match: { agent: data-agent, tool: run_sql }
    routes: [${demoChannels.data}]
    risk: medium
    say: "Run an SQL statement on the database {database}"
    ${common}
  # The channel of floods: their summary stays there (see tour.ts), so no other card goes there.
  - name: workers
    match: { agent: deploy-agent, tool: restart_worker }
    routes: [${demoChannels.deploys}]
    say: "Restart the service {service} in {region}"
    ${common}
  - name: deploys
    match: { agent: deploy-agent, tool: restart_service }
    routes: [${approvals}]
    say: "Restart the service {service} in {region}"
    ${common}
  - name: cleanups
    match: { agent: ops-agent, tool: delete_user_data }
    say: "Delete the data of user {user_id}"
    ${rest}
  - name: newsletters
    match: { agent: letter-agent, tool: send_newsletter }
    routes: [${approvals}]
    say: "Send the newsletter {subject} to {list}, {copies} copies"
    ${common}
  - name: certificates
    match: { agent: ops-agent, tool: renew_certificate }
    say: "Renew the certificate of {domain} for {valid_days} days"
    ${rest}
  # No sentence fits all other calls: here the card's first line is made of the tool's name and its arguments.
  - name: everything-else
    ${rest}
`
}

/** The workspace, with the app installed as its manifest says. */
export function demoSeed(): WorkspaceSeed {
  const { features } = manifest({ mode: "socket" })
  const commands = (features?.slash_commands ?? []).map(({ command, description, usage_hint = "" }) => ({
    command,
    description,
    hint: usage_hint,
  }))
  const shortcuts = (features?.shortcuts ?? [])
    .filter(({ type }) => type === "message")
    .map(({ name, callback_id }) => ({ name, callbackId: callback_id }))
  const members = defaultSeed.people.map(({ id }) => id)
  const more = Object.entries(demoChannels).map(([name, id]) => aChannel(id, name, members))
  return {
    ...defaultSeed,
    app: { ...defaultSeed.app, commands, shortcuts },
    channels: [...defaultSeed.channels, ...more],
  }
}
