// The keys of one instance in countersign.yaml: its address, its credentials, and what becomes of its runs.
import { z } from "zod"
import { builtInInstance } from "../../domain/rule/rules-change.ts"
import { address, choice, credential, dayMs, duration, hourMs, secondMs, switched, text } from "./values.ts"

/** A token that is signed for each decision, in the name of the human (`parts/instance.ts`). */
const delegated = z.strictObject({
  algorithm: choice(["ES256", "RS256", "HS256"]).meta({
    description: `How the token is signed. The instance has to trust the public half of the key, or for HS256 the
      secret.`,
    example: "ES256",
  }),
  key: text.optional().meta({
    description: "Or the private key from the environment: PEM or a JWK, for HS256 the secret.",
    example: "${PLATFORM_SIGNING_KEY}",
    secret: true,
    off: true,
  }),
  key_file: text.optional().meta({
    description: `The file of the private key: PEM or a JWK, for HS256 the secret. It is read again for each decision,
      so you may replace it at any time.`,
    example: "/run/secrets/countersign.pem",
  }),
  kid: text.optional().meta({
    description: "Tells the instance which key it is. If the key is a JWK with a kid, that kid counts.",
    example: "countersign-1",
  }),
  audience: text
    .optional()
    .meta({ description: "For whom the tokens are, if the instance checks that.", example: "agents.example.com" }),
  issuer: text.optional().meta({
    description: "Who issues them, if the instance checks that.",
    example: "https://countersign.example.com",
  }),
})

/** One Agent Platform Service. */
export const instance = z.strictObject({
  name: text
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/, "must be 1 to 63 letters, digits, dots, - or _")
    .refine((name) => name !== builtInInstance, "is the name of the built-in instance: choose another")
    .meta({ description: "Its name on cards and in a rule's match.instance.", example: "main" }),
  url: address.meta({
    description: "Its address, with a path if it has one.",
    example: "https://agents.example.com",
    env: "PLATFORM_URL",
  }),
  token: credential.optional().meta({
    description: `The bearer credential: a service-account token or any JWT that holds approvals:read and
      approvals:write, and nothing that may run agents. Leave it out if the instance asks for none.`,
    example: "${PLATFORM_TOKEN}",
    env: "PLATFORM_TOKEN",
    secret: true,
  }),
  token_file: text.optional().meta({
    description: `Or the file that holds it. A change is read within a second, so you can replace the credential without
      a restart. If the new file cannot be read, or holds no credential, the old one stays and an alarm says so.`,
    example: "/run/secrets/platform-token",
    off: true,
  }),
  resolve_token: credential.optional().meta({
    description: `A second credential, to send decisions with. Then token needs approvals:read only, and this one
      approvals:write only. Leave out this and delegated, and token does both.`,
    example: "${PLATFORM_RESOLVE_TOKEN}",
    secret: true,
    off: true,
  }),
  delegated: delegated.optional().meta({
    description: `Or sign a JWT of one minute for each decision, in the name of the human, so that the platform itself
      attests who decided (docs/agentos.md). Their name there is the one that identities lists, else their e-mail.`,
    example: "{algorithm: ES256, key_file: /run/secrets/countersign.pem}",
    off: true,
  }),
  accept_run_scope: switched
    .default(false)
    .describe(`false: a JWT that holds approvals:write and may also run agents (or is admin) is refused, since it could
      push a paused run past its approval. true: it is taken, and you take the risk.`),
  resume: choice(["off", "approved", "decided"])
    .default("off")
    .meta({
      description: `Which decided runs Countersign continues: off (none; whoever started them does), approved, or
        decided (rejected ones too: it refuses the call explicitly, with the reason, so that it never runs).
        docs/agentos.md says when it does not.`,
      example: "approved",
      sample: "off",
    }),
  resume_url: address.optional().meta({
    description: `Where runs are read and continued, if that is not url: AgentOS's own address, where Countersign's gate
      stands at url (docs/how-to/agentos-gate.md). Approvals go through url, and only resume_token goes here.
      accept_run_scope does not count then: neither credential may do what the other one does.`,
    example: "https://agents.example.com",
    off: true,
  }),
  resume_token: credential.optional().meta({
    description: `The credential that continues runs: a JWT without sub that holds agents:run, agents:read, teams:run,
      teams:read and sessions:read (workflows:run and workflows:read where workflows go on, config:read with several
      databases), and not approvals:write. Never the token above. Leave it out if the instance asks for none.`,
    example: "${RESUME_TOKEN}",
    secret: true,
    off: true,
  }),
  resume_token_file: text.optional().meta({
    description: `Or the file that holds it. It is read again as token_file is.`,
    example: "/run/secrets/resume-token",
    off: true,
  }),
  resume_timeout: duration({ min: secondMs, max: hourMs, words: "must be between 1s and 1h" })
    .prefault("5m")
    .describe("How long to wait for a continued run. After that Countersign looks now and then whether it has ended."),
  reject_user_input: choice(["hold", "send"])
    .default("hold")
    .describe(`A rejected call that asks for input still runs if anybody continues the run, unless Countersign refuses
      it explicitly (resume: decided). hold: Countersign does not tell the platform, so the pending record keeps the run
      stopped. send: it tells the platform.`),
  beside_agno_slack: switched
    .default(false)
    .describe(`If a run was started in AgentOS's own Slack interface, anybody in its thread can continue it. false:
      Countersign lets people decide such runs but does not continue them, since their tools could run twice. true: it
      continues them too, and you take the risk (docs/agentos.md).`),
  receipt_life: duration({ min: 60 * secondMs, max: 7 * dayMs, words: "must be between 1m and 7d" })
    .prefault("24h")
    .describe(`How long after the decision an approved call may begin where a gate stands before the tool
      (docs/tool-gate.md). After that the gate refuses it for good.`),
  poll_every: duration({ min: 100, max: hourMs, words: "must be between 100ms and 1h" })
    .prefault("1s")
    .describe("How often to ask for pending approvals. A number is milliseconds; 500ms, 1s, 2m are understood."),
  timeout: duration({ min: 100, max: 120 * secondMs, words: "must be between 100ms and 2m" })
    .prefault("10s")
    .describe(`How long to wait for an answer after a call. countersign doctor says how long the instance takes.`),
  ca_file: text.optional().meta({
    description: `A file in PEM with the CA that signed the instance's certificate, or the certificate of a proxy in
      between. It counts beside the usual CAs, and for this instance only. Read at the start.`,
    example: "/etc/countersign/ca.pem",
    off: true,
  }),
})
