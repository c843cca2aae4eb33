// The keys of http and slack in countersign.yaml: how others reach Countersign, and how it reaches Slack.
import { z } from "zod"
import { address, choice, credential, dayMs, duration, hourMs, integer, switched, text, texts, url } from "./values.ts"

/** Tokens for the read API and the page; without keys nobody reads. */
const read = z.strictObject({
  algorithm: choice(["RS256", "ES256", "HS256"]).default("RS256").describe("The one algorithm of its tokens."),
  verification_keys: texts.optional().meta({
    description: `Public keys in PEM, or for HS256 secrets of 32 bytes or more; one or a list. Do not write them here:
      name a variable.`,
    example: "${READ_KEY}",
    secret: true,
  }),
  jwks_file: text.optional().meta({
    description: `A file with a key set (RFC 7517); it is read again when it changes. Give this, verification_keys or
      both.`,
    example: "read-keys.json",
  }),
  audience: texts.prefault("countersign-read").describe("For whom the tokens are; one or a list."),
  issuer: texts.optional().meta({
    description: "Who issues them; one or a list. Left out: any issuer that has the key.",
    example: "https://login.example.com",
  }),
  require_exp: switched
    .default(true)
    .describe("true: a token without exp is refused, since it would never end. false: it is taken."),
  reachable: choice(["loopback", "anywhere"])
    .default("loopback")
    .describe("loopback: programs and browsers on this machine only; anywhere: whoever reaches the port."),
})

/** Who may stop agents over HTTP. */
const stops = z.strictObject({
  reachable: choice(["loopback", "anywhere"])
    .default("loopback")
    .describe("loopback: programs on this machine only; anywhere: whoever reaches the port."),
})

/** Where it is kept who signed in, and who read what. */
const accessLog = z.strictObject({
  folder: text.optional().meta({
    description: "Default: access in data_folder. Each process writes one file a day there.",
    example: "/var/log/countersign",
  }),
  keep: duration({ min: dayMs, max: 3_650 * dayMs, words: "must be between 1d and 3650d" })
    .prefault("365d")
    .describe("How long these files are kept."),
})

/** True for an address with nothing after host and port but a slash. */
function isOrigin(value: string): boolean {
  return URL.parse(value)?.pathname === "/"
}

/** How people sign in to the page by the company's provider (OpenID Connect). */
const signIn = z.strictObject({
  issuer: address.meta({
    description: `The provider's address, exactly as it writes it itself (issuer in its
      /.well-known/openid-configuration).`,
    example: "https://login.example.com",
  }),
  client_id: text.meta({ description: "The id by which the provider knows this client.", example: "countersign" }),
  client_secret: credential.optional().meta({
    description: "The client's secret.",
    example: "${SIGN_IN_SECRET}",
    secret: true,
  }),
  client_secret_file: text.optional().meta({
    description: "Or the file that holds it, without white space around it. It is read again at each sign-in.",
    example: "sign-in.secret",
    off: true,
  }),
  public_url: address.refine(isOrigin, "must have nothing after host and port").meta({
    description: `Where browsers reach Countersign, with nothing after host and port. At the provider register this
      address with /page/sign-in/callback after it, and for signing out with /page/sign-in after it.`,
    example: "https://countersign.example.com",
  }),
  scopes: texts
    .prefault(["profile", "email"])
    .describe("What the provider is asked for besides openid; some want groups here, to tell groups."),
  groups_claim: text
    .default("groups")
    .describe("The claim that lists the groups of an account, in the ID token or else in the user info."),
  cases_read: texts.meta({
    description: "The groups whose members may read cases: all that the page shows.",
    example: "[auditors, agent-approvers]",
  }),
  ledger_read: texts.optional().meta({
    description: "Those whose members may also take out the whole ledger. Left out: none.",
    example: "[auditors]",
  }),
  session: duration({ min: 300_000, max: 12 * hourMs, words: "must be between 5m and 12h" })
    .prefault("1h")
    .describe("How long a session lasts. Whoever left a group reads on until then."),
  ca_file: text.optional().meta({
    description: "As ca_file of an instance, for connections to the provider.",
    example: "/etc/countersign/ca.pem",
    off: true,
  }),
})

/** Everything below `http`. */
export const http = z.strictObject({
  port: integer({ min: 0, max: 65_535 })
    .default(3_000)
    .meta({ description: "The port; 0 for any free one.", env: "PORT" }),
  host: text.optional().meta({
    description: "Default: 127.0.0.1 in Socket Mode (nobody needs to get in), 0.0.0.0 in HTTP mode.",
    example: "127.0.0.1",
  }),
  metrics: choice(["loopback", "anywhere", "off"])
    .default("loopback")
    .describe(`Who may read /metrics and /status (docs/operations.md): loopback (programs on this machine),
        anywhere (whoever reaches the port) or off.`),
  metrics_token: credential
    .min(16, "must have at least 16 characters")
    .optional()
    .meta({
      description: `With a token, at least 16 characters, only its bearer may read them: Authorization: Bearer …. In
        HTTP mode others reach this port, so both are off without a token.`,
      example: "${METRICS_TOKEN}",
      secret: true,
    }),
  read: read.optional().meta({
    description: `Lets programs, and people at /page, read cases and ledger (docs/operations.md). Off unless this key is
      there. Readers send a JWT with the scope cases:read; the whole ledger also needs ledger:read.`,
    example: "{jwks_file: read-keys.json}",
  }),
  stops: stops.optional().meta({
    description: `Lets programs stop agents by POST /stops (docs/operations.md). Off unless this key is there. They send
      a JWT with the scope stops:write, which the keys of read verify; no other scope implies it. Nobody ends a stop
      so.`,
    example: "{reachable: loopback}",
  }),
  sign_in: signIn.optional().meta({
    description: `Lets people sign in to /page with their company's account (docs/how-to/sign-in.md), from wherever they
      reach public_url, in place of a pasted token. Off unless this key is there. Programs go on with tokens, if read is
      there.`,
    example: `{issuer: https://login.example.com, client_id: countersign, client_secret: "\${SIGN_IN_SECRET}",
      public_url: https://countersign.example.com, cases_read: auditors}`,
  }),
  access_log: accessLog.optional().meta({
    description: `Who signed in at /page or was refused, and each read there and by the read API, a line each, in files
      of their own (docs/operations.md). Left out: they are lines "access" of the log.`,
    example: "{keep: 365d}",
  }),
})

/** Everything below `slack`. */
export const slack = z.strictObject({
  mode: choice(["socket", "http"])
    .optional()
    .meta({
      description: `socket: Countersign calls Slack, and needs no public address. http: Slack calls Countersign.
        Default: http if there is a signing_secret and no app_token, else socket.`,
      example: "socket",
    }),
  bot_token: credential.meta({
    description: `Begins with xoxb-. From the app's page "OAuth & Permissions".`,
    example: "${SLACK_BOT_TOKEN}",
    env: "SLACK_BOT_TOKEN",
    secret: true,
  }),
  app_token: credential.optional().meta({
    description: `Begins with xapp-. For mode socket. From the app's page "Basic Information", "App-Level Tokens".`,
    example: "${SLACK_APP_TOKEN}",
    env: "SLACK_APP_TOKEN",
    secret: true,
  }),
  signing_secret: text.optional().meta({
    description: `For mode http. From the app's page "Basic Information".`,
    example: "${SLACK_SIGNING_SECRET}",
    env: "SLACK_SIGNING_SECRET",
    secret: true,
    off: true,
  }),
  api_url: url("must be an http or https address", /^https?:\/\//)
    .optional()
    .meta({
      description: `Default: Slack's own address. Another one has to be a sandbox on this machine, and needs sandbox:
        true.`,
      example: "https://slack.com/api/",
      env: "SLACK_API_URL",
    }),
  sandbox: switched.default(false).meta({
    description: "true: api_url is a sandbox's, and the ledger marks what people do there.",
    env: "SLACK_SANDBOX",
  }),
  ca_file: text.optional().meta({
    description: `As ca_file of an instance, for all connections to Slack: for a proxy that opens TLS and shows
      certificates of its own.`,
    example: "/etc/countersign/ca.pem",
    off: true,
  }),
  command: text
    .regex(/^\/[a-z0-9_-]{1,31}$/, "must begin with / and have 1 to 31 small letters, digits, - or _")
    .default("/approvals")
    .describe("The slash command. It must be the one in the app's manifest."),
  pace_ms: integer({ min: 0, max: 60_000 })
    .default(1_030)
    .describe(`Least time between two messages in one channel, in milliseconds. Slack allows one per second, and a
        message may arrive some ms late. 0: Countersign does not slow down until Slack refuses, neither here nor for
        Slack's methods; only for a workspace that does not mind.`),
  summary_above: integer({ min: 0, max: 1_000 })
    .default(0)
    .meta({
      description: `If more new cards than this wait for their turn in one channel, one summary names their cases, and
        "Review One by One" walks through them. People decide each by itself, and each gets its own card in the end. 0:
        never.`,
      example: "10",
    }),
})
