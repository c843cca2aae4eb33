// All of countersign.yaml. Each key stands here once: check, default, example and words. Pages are made from this file.
import { z } from "zod"
import { maxHolds } from "../../domain/order/hold.ts"
import { patternProblem } from "../../domain/text/pattern.ts"
import { channel, rulesChange, stopSettings } from "./asked-schema.ts"
import { http, slack } from "./connection-schema.ts"
import { instance } from "./instance-schema.ts"
import { rule } from "./rule-schema.ts"
import { choice, dayMs, duration, hourMs, integer, redisUrl, secondMs, text } from "./values.ts"
import { webhook } from "./webhook-schema.ts"

const receipts = z.strictObject({
  algorithm: choice(["EdDSA", "ES256"])
    .default("EdDSA")
    .describe(`Which kind of key to make: EdDSA (Ed25519) or ES256. If you give a key, its own kind counts.`),
  key_file: text.optional().meta({ description: "The file of the key.", example: ".countersign/receipt-key.pem" }),
})

const ledger = z.strictObject({
  checkpoint_every: duration({ min: secondMs, max: hourMs, words: "must be between 1s and 1h" })
    .prefault("1m")
    .describe(`How long to wait after a checkpoint before the next one, if there are new entries. After a change of
      rules or links, the next one comes within seconds.`),
  checkpoint_entries: integer({ min: 1, max: 100_000 })
    .default(100)
    .describe("A checkpoint also comes after this many entries."),
  checkpoint_file: text.optional().meta({
    description: `The file that gets a line for each checkpoint; the log tells of each, too. Default: checkpoints.jsonl
      in data_folder. Keep it on a volume that outlives the process and that all replicas share. none: no file; then set
      audit_channel.`,
    example: ".countersign/checkpoints.jsonl",
  }),
  require_checkpoint: z
    .boolean()
    .default(false)
    .meta({
      description: `true: a replica that finds no checkpoint does not start. false: it starts, and believes Redis. The
        first start of an installation needs none.`,
      example: "true",
      sample: "false",
    }),
  audit_channel: channel.optional().meta({
    description: `A Slack channel that gets each checkpoint as a message, such as the auditors' own. A start reads it
      back. Left out: none.`,
    example: "C012ABCDEF",
  }),
})

const limits = z.strictObject({
  cards_per_instance: integer({ min: 1, max: 10_000 }).default(500).describe("At most this many of one instance."),
  cards_per_agent: integer({ min: 1, max: 10_000 })
    .default(100)
    .describe("At most this many of one agent (or team, or workflow) of an instance."),
})

const slackIdWords = "must be a Slack team id and user id, joined by a colon, or a list of these for one human"
const slackId = text.regex(/^[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}$/, slackIdWords)

/** One human: their name at the platform, and all their Slack ids. */
const identity = z.strictObject({
  subject: text.meta({ description: "Their name at the platform.", example: "jane@corp.example" }),
  slack: z.union([slackId, z.array(slackId).min(1, slackIdWords)], { error: slackIdWords }).meta({
    description: `Their Slack team id and user id, or a list if one human has several, such as in two workspaces. In a
      quorum they count once, with their newer vote. If they asked for the run, they count as the one who asked under
      each of their ids.`,
    example: '"T012ABCDEF:U012ABCDEF"',
  }),
})

/** A kind of data that conditions may ask for. */
const dataClass = z
  .strictObject({
    name: text.regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "must be 1 to 40 small letters, digits, - or _").meta({
      description: `What conditions call it: when: '"iban" in call.classes'.`,
      example: "iban",
    }),
    pattern: text
      .superRefine((source, context) => {
        const problem = patternProblem(source)
        if (problem !== null) context.addIssue({ code: "custom", message: problem })
      })
      .optional()
      .meta({
        description:
          "A regular expression (RE2's, see docs/policy.md) that finds it. Upper and lower case are the same.",
        example: String.raw`'[^\s@]+@[^\s@]+\.[a-z]{2,}'`,
        off: true,
      }),
    checksum: choice(["card_number", "iban"]).optional().meta({
      description: "A kind of number that carries a checksum, in place of a pattern: card_number or iban.",
      example: "iban",
    }),
    at_least: integer({ min: 1, max: 1_000 }).default(1).describe("How many different ones of it a call must hold."),
  })
  .refine(({ pattern, checksum }) => (pattern === undefined) !== (checksum === undefined), {
    error: "must have one of the two: a pattern, or a checksum (card_number or iban)",
  })

const held = text.max(200, "must be at most 200 characters")

/** What stays until it is taken out of this list. */
const hold = z
  .strictObject({
    requester: held.optional().meta({
      description: `The cases of whoever asked, by the name that the platform has for them; * is any text. If the
        platform does not say who asked, the case stays too.`,
      example: "jane@corp.example",
    }),
    tool: held.optional().meta({
      description: "The cases with a call of this tool; * is any text.",
      example: "refund_*",
      off: true,
    }),
    case: held.optional().meta({
      description: "One case, by its id or its approval's.",
      example: "b3b1a5c04f2d4b7e9a10",
      off: true,
    }),
  })
  .refine((one) => Object.values(one).filter((value) => value !== undefined).length === 1, {
    error: "must have one of the three: a requester, a tool or a case",
  })

/** The whole file. */
export const schema = z.strictObject({
  installation: text
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be 1 to 63 small letters, digits, - or _")
    .default("default")
    .describe(`A name for this installation: small letters, digits, - and _. Two installations may share a Redis
        if their names differ.`),
  redis_url: redisUrl.optional().meta({
    description: `The Redis that keeps all state: redis://, redis-cluster:// or redis-sentinel:// (rediss…:// with TLS),
      as docs/running.md explains. Leave it out, and Countersign starts one of its own, with its data in data_folder. An
      address with a password is a secret.`,
    example: "${REDIS_URL}",
    env: "REDIS_URL",
  }),
  redis_ca_file: text.optional().meta({
    description: `A file in PEM with the CA that signed the certificate of that Redis, for rediss…://. It counts beside
      the usual CAs. Read at the start.`,
    example: "/etc/countersign/redis-ca.pem",
    env: "REDIS_CA_FILE",
    off: true,
  }),
  data_folder: text
    .default(".countersign")
    .describe("Where Countersign keeps the data of its own Redis and, without COUNTERSIGN_KEY, the key that it makes."),
  resolved_by: text
    .max(200, "must be at most 200 characters")
    .refine((template) => !/[{}]/.test(template.replaceAll(/\{(email|team|user|name)\}/g, "")), {
      error: "may hold only {email}, {team}, {user} and {name} in braces",
    })
    .refine((template) => /\{(email|user)\}/.test(template), "must name the person by {email} or {user}")
    .default("{email}")
    .meta({
      description: `What Countersign sends the platform as resolved_by. May hold {email}, {team}, {user} and {name}. If
        it cannot read a person's address, it sends slack:{team}:{user} instead. At most 255 characters, filled in.`,
      example: '"{email}"',
    }),
  http: http.prefault({}).meta({
    description: "Where Countersign itself listens: for health checks and, in HTTP mode, for Slack.",
    example: "{port: 3000}",
  }),
  receipts: receipts.prefault({}).meta({
    description: `Countersign signs every decision, so that others can verify it without us: docs/receipts.md. The key
      comes from COUNTERSIGN_RECEIPT_KEY. If that is not set, it is derived from COUNTERSIGN_KEY. If that is not set
      either, or if there is a key_file, it is the key in that file, which is made once.`,
    example: "{algorithm: EdDSA}",
  }),
  ledger: ledger.prefault({}).meta({
    description: `Signed checkpoints of the ledger, kept outside Redis. With them a start can tell that Redis holds the
      newest records, and countersign ledger verify finds entries that were rewritten, cut off, reordered or rolled
      back.`,
    example: "{checkpoint_every: 1m}",
  }),
  retention: duration({ min: dayMs, max: 36_500 * dayMs, words: "must be between 1d and 36500d" })
    .optional()
    .meta({
      description: `How long to keep a settled case. Then its record, reasons, names and receipts are removed; its
        entries in the ledger stay and verify. Left out: for good. docs/privacy.md says what is kept where.`,
      example: "365d",
      off: true,
    }),
  retain_arguments: duration({ min: 0, max: 36_500 * dayMs, words: "must be between 0 and 36500d" })
    .prefault("90d")
    .meta({
      description: `How long people can read what was approved, after its case closed: Details, history and /page show
        its arguments, without what the rules mask. They are sealed in Redis. After that only their digest is left. A
        change counts for cases that close after it. 0: they go as the case closes.`,
      example: "90d",
    }),
  blank_cards_after: duration({ min: hourMs, max: 36_500 * dayMs, words: "must be between 1h and 36500d" })
    .optional()
    .meta({
      description: `How long cards keep arguments and names after their case closed. Then each of our cards says only
        which tool it was about, how it ended and when. The threads below and the ledger stay. A change counts for cases
        that close after it. Left out: cards stay as they are.`,
      example: "30d",
      off: true,
    }),
  instances: z.array(instance).min(1, "must list at least one instance").meta({
    description: "The Agent Platform Services to watch: one or more.",
    example: '[{name: main, url: https://agents.example.com, token: "${PLATFORM_TOKEN}"}]',
  }),
  slack: slack.meta({
    description: `How Countersign reaches Slack, and how fast it writes there.`,
    example: "{mode: socket}",
  }),
  limits: limits.prefault({}).meta({
    description: `A flood hides nothing: at most this many open approvals have cards at once. The rest waits, oldest
      first; /approvals list shows it, and the log has one alarm. While Redis uses more than 80 % of its maxmemory, new
      approvals stay at the platform and get no card; decisions go on.`,
    example: "{cards_per_agent: 100}",
  }),
  identities: z
    .array(identity)
    .default([])
    .meta({
      description: `People whom the platform knows by another name than their Slack address; so Countersign knows who
        asked. Upper and lower case, spaces around a name and invisible characters make no difference, here and wherever
        names are compared.`,
      example: '[{subject: jane@corp.example, slack: "T012ABCDEF:U012ABCDEF"}]',
      more: '- subject: john@corp.example\n  slack: ["T012ABCDEF:U034ABCDEF", "T034ABCDEF:U056ABCDEF"]',
    }),
  classes: z
    .array(dataClass)
    .max(50, "must list at most 50 classes")
    .default([])
    .meta({
      description: `Kinds of data that a rule may ask for with when (docs/policy.md): what a call holds in its
        arguments, by patterns, by numbers that carry a checksum, and by how many there are. A call that Countersign
        cannot read wholly is in every class.`,
      example: "[{name: iban, checksum: iban}, {name: card, checksum: card_number}]",
      more: `# Many addresses at once.
- name: many-addresses
  pattern: '[^\\s@]+@[^\\s@]+\\.[a-z]{2,}'
  at_least: 20`,
    }),
  stop: stopSettings.optional().meta({
    description: `Who may stop agents, and who may end that. A stop holds at once: nothing that it covers is approved or
      let run until somebody ends it (docs/oversight.md).`,
    example: "{by: [S012ABCDEF], lift_by: [S034ABCDEF], routes: [C012ABCDEF]}",
  }),
  rules_change: rulesChange.optional().meta({
    description: `Who approves a change of this file (docs/how-to/change-the-rules.md). Once it counts, a start with
      another file changes nothing by itself: it proposes the change, and a card shows each key that is other. Left out:
      whoever starts a replica with another file changes the rules.`,
    example: "{approvers: [S012ABCDEF], route: C012ABCDEF}",
    off: true,
  }),
  hold: z
    .array(hold)
    .max(maxHolds, `must list at most ${maxHolds} holds`)
    .default([])
    .meta({
      description: `What must not go, such as for a lawsuit: cases that one of these covers stay, with the arguments
        that they still have, whatever retention and retain_arguments say, and whoever is erased (docs/privacy.md). What
        the rules mask goes all the same. countersign hold does the same without a change of this file.`,
      example: "[{requester: jane@corp.example}, {tool: refund_*}]",
      off: true,
    }),
  webhooks: z
    .array(webhook)
    .max(20, "must list at most 20 webhooks")
    .default([])
    .meta({
      description: `Other systems that are told what enters the ledger (docs/how-to/webhooks.md). They are only told:
        nobody decides by one, and a slow one holds up nothing. A new webhook begins with what happens from then on.`,
      example: "[{name: siem, url: https://siem.example.com/countersign, secret_file: /run/secrets/webhook}]",
      off: true,
    }),
  rules: z
    .array(rule)
    .min(1, "must list at least one rule")
    .meta({
      description: `Who is asked, where, and who may decide. For each tool call the first rule that matches counts. If
        none matches, nobody may decide: keep one without a match at the end.`,
      example: "[{name: all, routes: [C012ABCDEF], approvers: [U012ABCDEF], unknown_requester: allow}]",
      more: `# The short form, and the last resort.
- name: everything-else
  routes: [C012ABCDEF]
  approvers: [S012ABCDEF]
  unknown_requester: allow`,
    }),
})

/** The checked settings, names as in the file. */
export type Settings = z.infer<typeof schema>
/** The checked settings of one instance. */
export type InstanceSettings = Settings["instances"][number]
