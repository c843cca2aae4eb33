// The demo's setting: the workspace's channels, and the bot's config, with a rule for each thing to try.
import { aChannel, defaultSeed, sandboxCast, type WorkspaceSeed } from "../../sandbox/workspace/seed.ts"
import { manifest } from "../../slack/manifest.ts"

/** The channels that the demo has besides those of the default workspace. */
export const demoChannels = { data: "C0DATA", deploys: "C0DEPLOYS", support: "C0SUPPORT" } as const

/** How long people can decide about the voucher of the tour, in seconds. */
export const voucherSeconds = 30

/** The bot's config. Credentials come from the environment. */
export function demoConfig(dataFolder: string): string {
  const { payments, approvals, approvers, gus, sam } = sandboxCast
  const common = `approvers: [${approvers}]
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
classes:
  - { name: iban, checksum: iban }
rules:
  # The platform names no agent for a team's own call, so every rule below that matches an agent could mean it.
  - name: support
    match: { team: support-team }
    match_unknown: false
    routes: [${demoChannels.support}]
    ${common}
  - name: payouts
    match: { agent: billing-agent, tool: send_payout }
    routes: [${payments}]
    quorum: 2
    ${common}
  - name: credits
    match: { agent: shop-agent, tool: give_credit }
    routes: [${payments}]
    # Within an hour a customer gets at most 100 without a second person.
    limit: { sum: args.amount, per: args.customer, window: 1h, above: 100, then: { quorum: 2 } }
    ${common}
  - name: vouchers
    match: { agent: shop-agent, tool: issue_voucher }
    routes: [${payments}]
    remind_after: ${voucherSeconds / 2}s
    expire_after: ${voucherSeconds}s
    on_expiry: reject
    ${common}
  - name: large-refunds
    match: { agent: billing-agent, tool: refund_payment }
    when: args.amount > 1000 && args.currency == "EUR"
    routes: [${payments}]
    quorum: 2
    ${common}
  - name: money
    match: { agent: billing-agent }
    routes: [${payments}]
    # Details quotes what Rita asked for, and Rita is sent what the agent answers in the end.
    context: request
    show_result: requester
    ${common}
  - name: databases
    match: { tool: drop_database }
    routes: [${approvals}]
    danger: true
    risk: high
    ${common}
  - name: bank-details
    match: { agent: data-agent }
    when: '"iban" in call.classes'
    routes: [${demoChannels.data}]
    quorum: 2
    ${common}
  - name: data
    match: { agent: data-agent }
    routes: [${demoChannels.data}]
    mask: [api_key, password]
    risk: medium
    ${common}
  - name: deploys
    match: { agent: deploy-agent }
    routes: [${demoChannels.deploys}]
    ${common}
  - name: everything-else
    routes: [${approvals}]
    # Gus is a guest and Sam of another workspace: being listed is not enough for them.
    approvers: [${approvers}, ${gus}, ${sam}]
    unknown_requester: allow
    require_reason: reject
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
