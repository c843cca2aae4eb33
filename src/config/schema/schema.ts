// The whole of countersign.yaml. Each key stands once: check, default, example and words, from which pages are written.
import { z } from "zod"
import { http, slack } from "./connection-schema.ts"
import { instance } from "./instance-schema.ts"
import { channel, rule } from "./rule-schema.ts"
import { choice, dayMs, duration, hourMs, integer, redisUrl, secondMs, text } from "./values.ts"

const receipts = z.strictObject({
  algorithm: choice(["EdDSA", "ES256"])
    .default("EdDSA")
    .describe(`Which kind of key is made: EdDSA (Ed25519) or ES256. A key that you give says itself which kind it is.`),
  key_file: text.optional().meta({ description: "The file of the key.", example: ".countersign/receipt-key.pem" }),
})

const ledger = z.strictObject({
  checkpoint_every: duration({ min: secondMs, max: hourMs, words: "must be between 1s and 1h" })
    .prefault("1m")
    .describe(`How long after one checkpoint the next one comes, if there is anything new. After a change of rules or
      links it comes within seconds.`),
  checkpoint_entries: integer({ min: 1, max: 100_000 })
    .default(100)
    .describe("A checkpoint also comes after this many entries."),
  checkpoint_file: text.optional().meta({
    description: `Appended to; also told to the log. Default: checkpoints.jsonl in data_folder. Keep it on a volume
      that outlives the process, shared by all replicas. none: no file, then set audit_channel.`,
    example: ".countersign/checkpoints.jsonl",
  }),
  require_checkpoint: z
    .boolean()
    .default(false)
    .meta({
      description: `true: a replica that reaches no checkpoint does not start. false: it then believes Redis. The
        first start of an installation needs none.`,
      example: "true",
      sample: "false",
    }),
  audit_channel: channel.optional().meta({
    description: `A Slack channel that gets each checkpoint as a message, such as the auditors' own; it is read back
      at a start. Left out: none.`,
    example: "C012ABCDEF",
  }),
})

const limits = z.strictObject({
  cards_per_instance: integer({ min: 1, max: 10_000 }).default(500).describe("Of one instance."),
  cards_per_agent: integer({ min: 1, max: 10_000 })
    .default(100)
    .describe("Of one agent (or team, or workflow) of an instance."),
})

const slackIdWords = "must be a Slack team id and user id, joined by a colon, or a list of these for one human"
const slackId = text.regex(/^[TE][A-Z0-9]{1,20}:[UW][A-Z0-9]{1,20}$/, slackIdWords)

/** One human: a name of theirs at the platform, and their Slack id, or all of them. */
const identity = z.strictObject({
  subject: text.meta({ description: "The name there.", example: "jane@corp.example" }),
  slack: z.union([slackId, z.array(slackId).min(1, slackIdWords)], { error: slackIdWords }).meta({
    description: `The team id and the user id; a list of them for one human who has several, such as in two
      workspaces: they count once in a quorum, with their newer vote, and are the one who asked with whichever id they
      vote.`,
    example: '"T012ABCDEF:U012ABCDEF"',
  }),
})

/** The whole file. */
export const schema = z.strictObject({
  installation: text
    .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "must be 1 to 63 small letters, digits, - or _")
    .default("default")
    .describe(`A name for this installation: small letters, digits, - and _. Two installations may share a Redis
        if their names differ.`),
  redis_url: redisUrl.optional().meta({
    description: `The Redis that keeps all state: redis://, redis-cluster:// or redis-sentinel:// (rediss…:// with
      TLS), as docs/running.md explains. Leave it out, and Countersign starts one of its own, with its data in
      data_folder. A password in it is a secret.`,
    example: "${REDIS_URL}",
    env: "REDIS_URL",
  }),
  redis_ca_file: text.optional().meta({
    description: `A file in PEM with the CA that signed the certificate of that Redis, for rediss…://. It is believed
      besides the usual ones. Read at the start.`,
    example: "/etc/countersign/redis-ca.pem",
    env: "REDIS_CA_FILE",
    off: true,
  }),
  data_folder: text
    .default(".countersign")
    .describe("Where Countersign keeps its own Redis' data and, without COUNTERSIGN_KEY, the key that it makes."),
  resolved_by: text
    .max(200, "must be at most 200 characters")
    .refine((template) => !/[{}]/.test(template.replaceAll(/\{(email|team|user|name)\}/g, "")), {
      error: "may hold only {email}, {team}, {user} and {name} in braces",
    })
    .refine((template) => /\{(email|user)\}/.test(template), "must name the person by {email} or {user}")
    .default("{email}")
    .meta({
      description: `What the platform is told as resolved_by. May hold {email}, {team}, {user} and {name}. Where a
        person's address cannot be read, slack:{team}:{user} is sent instead. At most 255 characters when filled in.`,
      example: '"{email}"',
    }),
  http: http.prefault({}).meta({
    description: "Where Countersign itself listens: health checks and, in HTTP mode, what Slack sends.",
    example: "{port: 3000}",
  }),
  receipts: receipts.prefault({}).meta({
    description: `Every decision is signed, so that others can verify it without us: docs/receipts.md. The key is what
      COUNTERSIGN_RECEIPT_KEY holds; without it, one that follows from COUNTERSIGN_KEY; without that, or with a
      key_file, the one in that file, which is made once.`,
    example: "{algorithm: EdDSA}",
  }),
  ledger: ledger.prefault({}).meta({
    description: `Signed checkpoints of the ledger, kept outside Redis. By them a start knows that Redis holds the
      newest records and no older ones, and countersign ledger verify finds what was rewritten, cut off, put in
      another order or rolled back.`,
    example: "{checkpoint_every: 1m}",
  }),
  retention: duration({ min: dayMs, max: 36_500 * dayMs, words: "must be between 1d and 36500d" })
    .optional()
    .meta({
      description: `How long a settled case is kept. After that its record, its reasons, names and receipts are
        removed; its entries in the ledger stay and verify. Left out: cases are kept for good. docs/privacy.md says
        what is kept where.`,
      example: "365d",
      off: true,
    }),
  retain_arguments: duration({ min: 0, max: 36_500 * dayMs, words: "must be between 0 and 36500d" })
    .default(90 * dayMs)
    .meta({
      description: `How long what was approved can be read once its case is closed: Details, history and /page show its
        arguments, without what the rules mask. They are sealed in Redis. After that only their digest is left. It
        counts for cases that close while it is set. 0: they go as the case closes.`,
      example: "90d",
    }),
  blank_cards_after: duration({ min: hourMs, max: 36_500 * dayMs, words: "must be between 1h and 36500d" })
    .optional()
    .meta({
      description: `How long cards keep arguments and names once their case is closed. Then each of our cards says only
        which tool it was about, how it ended and when. The threads below and the ledger stay. It counts for cases that
        close while it is set. Left out: cards stay as they are.`,
      example: "30d",
      off: true,
    }),
  instances: z.array(instance).min(1, "must list at least one instance").meta({
    description: "The Agent Platform Services to watch: one or more.",
    example: '[{name: main, url: https://agents.example.com, token: "${PLATFORM_TOKEN}"}]',
  }),
  slack: slack.meta({ description: "How Slack is reached, and how fast it is written to.", example: "{mode: socket}" }),
  limits: limits.prefault({}).meta({
    description: `A flood buries nothing: at most this many open approvals have cards at once. The rest waits, oldest
      first; /approvals list shows it, and the log has one alarm. While Redis uses more than 80 % of its maxmemory,
      new approvals stay at the platform and get no card; decisions go on.`,
    example: "{cards_per_agent: 100}",
  }),
  identities: z
    .array(identity)
    .default([])
    .meta({
      description: `Names under which the platform knows people who are not known by their Slack address: used to
        recognise who asked. Capitals, white space around a name and characters that nobody sees do not matter, here
        and wherever names are compared.`,
      example: '[{subject: jane@corp.example, slack: "T012ABCDEF:U012ABCDEF"}]',
      more: '- subject: john@corp.example\n  slack: ["T012ABCDEF:U034ABCDEF", "T034ABCDEF:U056ABCDEF"]',
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

/** The file as it is after checking, names as on the wire. */
export type Settings = z.infer<typeof schema>
/** One instance of it. */
export type InstanceSettings = Settings["instances"][number]
