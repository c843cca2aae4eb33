// Calls of tools that others publish, with the arguments that somebody who decides has to read first.
import type { Json } from "../../../src/domain/content/json.ts"

/** A call as an agent makes it; `decides`: what a headline has to show, as text. */
export interface PublicCall {
  readonly tool: string
  readonly args: Readonly<Record<string, Json>>
  readonly decides: readonly string[]
}

const call = (tool: string, args: PublicCall["args"], ...decides: readonly string[]): PublicCall => ({
  tool,
  args,
  decides,
})

/** Payments, code, cloud, mail, data, people: after the schemas that these tools publish. */
export const publicCalls: readonly PublicCall[] = [
  call("create_refund", { payment_intent: "pi_3Nf", amount: 4_300, reason: "duplicate" }, "pi_3Nf", "4300"),
  call("create_payment_link", { price: "price_1Nx", quantity: 2 }, "price_1Nx", "2"),
  call("create_transfer", { amount: 90_000, currency: "eur", destination: "acct_1032D" }, "90000", "acct_1032D"),
  call("cancel_subscription", { subscription: "sub_1Mx", prorate: true, cancellation_details: {} }, "sub_1Mx"),
  call(
    "createPayout",
    { sender_batch_header: { email_subject: "Payout" }, items: [{ receiver: "ann@x.example", amount: "12.00" }] },
    "ann@x.example",
    "12.00",
  ),
  call(
    "refundCreate",
    { orderId: "gid/Order/77", notify: false, note: "", transactions: [{ amount: "18.50" }] },
    "77",
    "18.50",
  ),
  call("merge_pull_request", { owner: "acme", repo: "shop", pullNumber: 512, merge_method: "squash" }, "shop", "512"),
  call(
    "delete_file",
    { owner: "acme", repo: "shop", path: "src/tax.ts", branch: "main", message: "x" },
    "src/tax.ts",
    "main",
  ),
  call(
    "create_or_update_file",
    { owner: "acme", repo: "shop", path: ".github/workflows/ci.yml", content: "on: push\n".repeat(90), branch: "main" },
    "shop",
    ".github/workflows/ci.yml",
  ),
  call(
    "push_files",
    { owner: "acme", repo: "shop", branch: "main", files: [{ path: "a.ts", content: "1" }] },
    "shop",
    "main",
  ),
  call("delete_branch", { project_id: "acme/shop", branch: "release-4" }, "acme/shop", "release-4"),
  call("rotate_secret", { name: "DATABASE_URL", environment: "production" }, "DATABASE_URL", "production"),
  call("TerminateInstances", { InstanceIds: ["i-0abc", "i-0def"], DryRun: false }, "i-0abc", "i-0def"),
  call("delete_object", { Bucket: "invoices", Key: "2026/11/77.pdf" }, "invoices", "2026/11/77.pdf"),
  call("put_bucket_policy", { Bucket: "invoices", Policy: '{"Effect":"Allow","Principal":"*"}' }, "invoices"),
  call("kubectl_delete", { resourceType: "deployment", name: "checkout", namespace: "prod" }, "checkout", "prod"),
  call(
    "kubectl_scale",
    { name: "checkout", namespace: "prod", replicas: 0, resourceType: "deployment" },
    "checkout",
    "0",
  ),
  call("terraform_apply", { workspace: "network-prod", run_id: "run-CZcmD7", auto_approve: true }, "network-prod"),
  call(
    "dns.records.update",
    { zone: "acme.example", type: "A", name: "www", content: "203.0.113.9", ttl: 60 },
    "www",
    "203.0.113.9",
  ),
  call(
    "run_function",
    { name: "nightly-cleanup", region: "eu-west-1", payload: { dryRun: false } },
    "nightly-cleanup",
    "false",
  ),
  call(
    "send_email",
    { to: ["cfo@acme.example"], subject: "Q3 numbers", body: "Dear all, ".repeat(40) },
    "cfo@acme.example",
    "Q3 numbers",
  ),
  call(
    "GMAIL_SEND_EMAIL",
    { recipient_email: "ann@x.example", subject: "Offer", body: "Hello", is_html: false },
    "ann@x.example",
    "Offer",
  ),
  call(
    "send_sms",
    { to: "+14155550100", from: "+14155550199", body: "Your code is 1234" },
    "+14155550100",
    "Your code is 1234",
  ),
  call(
    "slack_post_message",
    { channel_id: "C024BE91L", text: "We are down for an hour" },
    "C024BE91L",
    "We are down for an hour",
  ),
  call(
    "create_event",
    { calendarId: "primary", summary: "Board call", start: { dateTime: "2026-12-01T09:00:00Z" } },
    "Board call",
    "2026-12-01",
  ),
  call("post_tweet", { text: "Version 2 is out", media: { media_ids: [] }, reply_settings: null }, "Version 2 is out"),
  call(
    "execute_sql",
    { sql: "DELETE FROM users WHERE last_seen < '2020-01-01'", database: "crm" },
    "DELETE FROM users",
    "crm",
  ),
  call("run_query", { project_id: "dwh", query: "DROP TABLE orders_2019", location: "EU" }, "DROP TABLE orders_2019"),
  call("update_record", { object: "Account", id: "001x", fields: { OwnerId: "005y", Rating: "Hot" } }, "001x", "005y"),
  call("delete_page", { page_id: "59833787-2cf9", archived: true }, "59833787-2cf9"),
  call("append_values", { spreadsheetId: "1Bxi", range: "Budget!A1", values: [["rent", 900]] }, "Budget!A1", "900"),
  call("merge_contacts", { primaryObjectId: "101", objectIdToMerge: "202" }, "101", "202"),
  call(
    "transition_issue",
    { issueKey: "PAY-77", transition: { id: "31", name: "Done" }, comment: null },
    "PAY-77",
    "Done",
  ),
  call("deactivate_user", { userId: "00u1", sendEmail: false }, "00u1"),
  call("assign_role", { user: "ben@acme.example", role: "owner", organization: "acme" }, "ben@acme.example", "owner"),
  call(
    "create_employee",
    { firstName: "Ann", lastName: "Lee", jobTitle: "Driver", hireDate: "2026-12-01", salary: 41_000 },
    "Lee",
    "2026-12-01",
  ),
  call("approve_time_off", { requestId: 1_348, status: "approved", note: "" }, "1348", "approved"),
  call(
    "send_envelope",
    { emailSubject: "Contract", recipients: { signers: [{ email: "ann@x.example", name: "Ann" }] } },
    "Contract",
    "ann@x.example",
  ),
  call("resolve_incident", { incident_id: "Q1X", from: "ann@x.example", resolution: "fixed" }, "Q1X", "fixed"),
  call(
    "issue_credential",
    { subject: { id: "did:web:ann", claims: { level: 3 } }, expires: "2027-01-01" },
    "did:web:ann",
    "2027-01-01",
  ),
]
