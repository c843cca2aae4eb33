// The keys of one webhook in countersign.yaml: where it goes, what it is signed with, and what it tells.
import { z } from "zod"
import { choice, text, url } from "./values.ts"

/** The kinds of entries that a webhook may ask for: all that the ledger has (`store/ledger/ledger-event.ts`). */
export const entryKinds = [
  "opened",
  "revised",
  "raised",
  "placed",
  "summarised",
  "admitted",
  "voted",
  "called-back",
  "counterproposal-answered",
  "withdrawn",
  "revealed",
  "voided",
  "refused",
  "decided",
  "glass-broken",
  "glass-reviewed",
  "glass-left",
  "asked",
  "answered",
  "repeated",
  "looping",
  "asks-again",
  "reminded",
  "escalated",
  "expired",
  "sent",
  "unheard",
  "attempted",
  "reopened",
  "resolved",
  "elsewhere",
  "missed",
  "found",
  "vanished",
  "returned",
  "recovered",
  "frozen",
  "renewed",
  "doubtful",
  "without-effect",
  "paused-again",
  "run-over",
  "ran-otherwise",
  "decided-outside-rules",
  "held",
  "continued",
  "run-ended",
  "not-resumed",
  "closed",
  "installed",
  "migrated",
  "activated",
  "proposed",
  "proposal-ended",
  "stopped",
  "stopped-again",
  "stop-ended",
  "absence-begun",
  "absence-ended",
  "hold-begun",
  "hold-ended",
  "erasure-waits",
  "erasure-done",
  "orders-restored",
  "orders-unknown",
  "pinned",
  "contested",
  "linked",
  "unlinked",
  "erased",
  "removed",
  "era",
  "audits-begun",
  "audited",
  "key-added",
  "sum-begun",
  "sum-added",
  "sum-freed",
  "fingerprint-begun",
  "fingerprint-changed",
  "fingerprint-aged",
] as const

/** The bytes that a secret may have, as Standard Webhooks say. */
const secretBytes = { min: 24, max: 64 }

/** Why a text cannot be a secret of Standard Webhooks, in words that follow its name; null if it can. */
export function flawOfWebhookSecret(secret: string): string | null {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1] ?? ""
  const bytes = Buffer.from(encoded, "base64")
  if (bytes.length >= secretBytes.min && bytes.length <= secretBytes.max && bytes.toString("base64") === encoded)
    return null
  return "must be whsec_ and 24 to 64 bytes in base64: whsec_ in front of what openssl rand -base64 32 prints"
}

const secret = text.superRefine((value, context) => {
  const flaw = flawOfWebhookSecret(value)
  if (flaw !== null) context.addIssue({ code: "custom", message: flaw })
})

/** How many secrets may be in force at once: the new one and the old one. */
export const maxSecrets = 2

const address = url("must be an https address, or an http address of this machine", /^https?:\/\//).refine((value) => {
  const found = URL.parse(value)
  return found === null || found.username + found.password + found.hash === ""
}, "must hold no user, password or fragment; a credential belongs into headers_file")

/** One webhook. */
export const webhook = z.strictObject({
  name: text
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "must be 1 to 40 small letters, digits, - or _")
    .meta({ description: "Its name in commands, metrics and the log.", example: "siem" }),
  url: address.meta({
    description: `Where its events go: https, or http to this machine. No redirect is followed. If the address itself
      is a secret, name a variable.`,
    example: "https://siem.example.com/countersign",
  }),
  secret: z
    .preprocess(
      (value) => (typeof value === "string" ? [value] : value),
      z.array(secret).min(1, "is empty").max(maxSecrets, "must be one secret, or two while you replace it"),
    )
    .optional()
    .meta({
      description: `What each event is signed with (Standard Webhooks): whsec_ and 24 to 64 bytes in base64. While you
        replace it, a list of the new and the old one: both sign. Do not write it here: name a variable.`,
      example: "${WEBHOOK_SECRET}",
      secret: true,
      kind: "text or list",
    }),
  secret_file: text.optional().meta({
    description: `Or the file that holds it, one secret a line, two at most. A change is read within seconds. If the new
      file cannot be read, or holds something else, the old secrets stay and an alarm says so.`,
    example: "/run/secrets/webhook",
    off: true,
  }),
  headers_file: text.optional().meta({
    description: `A file with headers that the receiver wants, such as its own credential, one a line: "Authorization:
      Splunk …". A Content-Type there takes the place of CloudEvents' own. Read again as secret_file is.`,
    example: "/run/secrets/webhook-headers",
    off: true,
  }),
  events: z
    .array(choice(entryKinds))
    .min(1, "must list at least one kind; leave it out for all")
    .optional()
    .meta({
      description: `The kinds of entries that are sent (docs/how-to/webhooks.md). Left out: all of the ledger. Its kinds
      are: ${entryKinds.join(", ")}.`,
      example: "[decided, glass-broken, frozen, stopped]",
      off: true,
    }),
  include: choice(["arguments"])
    .optional()
    .meta({
      description: `arguments: cases come with the arguments that are kept (retain_arguments), without what rules mask,
        and entries with the platform's own words. Left out: without both.`,
      example: "arguments",
      off: true,
    }),
  ca_file: text.optional().meta({
    description: "As ca_file of an instance, for this receiver.",
    example: "/etc/countersign/ca.pem",
    off: true,
  }),
})
