// The answers of the read API, as schemas. The OpenAPI document is made from them, and a test compares answers to them.
import { z } from "zod"
import { proposalOvers } from "../../domain/rule/proposal.ts"

const text = z.string()
const textOrNull = z.string().nullable()
const time = z.iso.datetime().describe("ISO 8601, UTC.")
const verb = z.enum(["approve", "reject"])

const vote = z.strictObject({
  person: text.describe("Slack team and user id, joined by a colon."),
  name: text,
  subject: text.describe("What goes into the platform's `resolved_by`."),
  verb,
  reason: textOrNull,
  surface: text.describe("Where the person acted: card, details, form, command, home or summary."),
  revealed: z.boolean().describe("True if what is masked was shown to them before."),
  rules: z.array(text).describe("The rules under which the vote counts."),
  for: z.array(text).exactOptional().describe("For whom the person stood in; left out if for nobody."),
  revision: z.int(),
  at: time,
})

const outcome = z.strictObject({
  kind: z.enum(["ours", "elsewhere", "vanished"]),
  status: textOrNull.describe("approved, rejected, or the platform's own word; null if the record is gone."),
  resolved_by: textOrNull,
  at: time,
  proposal: z
    .strictObject({
      how: z.enum(proposalOvers),
      newer: text.exactOptional().describe("The case of the proposal that took its place."),
    })
    .exactOptional()
    .describe("How a proposal of other rules ended that nobody decided; left out for all else."),
})

const call = z.strictObject({
  tool: textOrNull,
  arguments: z.unknown().describe("With what the rules mask hidden."),
})

/** A case. If Countersign did not write its record, it has only id and state. */
const caseModel = z.strictObject({
  id: text,
  state: z.enum(["open", "sending", "settled", "closed", "frozen"]),
  trusted: z.boolean().describe("False if the record was changed by somebody else; then the other fields are null."),
  instance: textOrNull,
  approval: textOrNull.describe("The id of the platform's approval."),
  tool: textOrNull,
  agent: textOrNull,
  requester: textOrNull,
  opened_at: time.nullable().describe("When Countersign saw it first."),
  created_at: time.nullable().describe("When the platform made it, by its own clock."),
  revision: z.int().nullable(),
  digest: textOrNull.describe("SHA-256 over all that a decision covers."),
  rules: z.array(z.strictObject({ name: text, hash: text, quorum: z.int() })),
  calls: z.array(call).describe("What waits to run, or ran; empty once `retain_arguments` is over."),
  votes: z.array(vote).describe("Those that count: of the decision if there is one."),
  decision: z
    .strictObject({
      id: text,
      verb,
      at: time,
      glass: z.literal(true).exactOptional().describe("Set if one person approved by breaking glass."),
    })
    .nullable(),
  outcome: outcome.nullable(),
  cards: z.array(z.strictObject({ route: text, channel: text, ts: text, link: textOrNull })),
  entries: z.int().nullable().describe("How many entries of the ledger are about it."),
})

const entryModel = z.strictObject({
  number: z.int().describe("Its sequence number in the installation's ledger, from 1."),
  ours: z.boolean().describe("True if its MAC holds; else nothing of it is told."),
  time: time.nullable(),
  chain: textOrNull,
  n: z.int().nullable().describe("Its place in its chain, from 1."),
  kind: textOrNull,
  sandbox: z.boolean().nullable(),
  event: z.unknown(),
  mac: text,
})

const entryPage = z.strictObject({ entries: z.array(entryModel), next: z.int().nullable() })

const stopModel = z.strictObject({
  id: text,
  covers: text.describe("As it is typed: `everything`, or words such as `agent:billing-agent tool:refund_*`."),
  by: z.strictObject({
    kind: z
      .enum(["person", "operator", "caller", "countersign"])
      .describe("In Slack, at a shell, over HTTP, or itself."),
    person: textOrNull.describe("Slack team and user id, joined by a colon."),
    name: textOrNull.describe("Null once it was erased."),
  }),
  reason: text,
  at: time,
  until: time.nullable().describe("When it ends by itself; null if never."),
})

const underModel = z.strictObject({
  waiting: z.int().describe("Approvals that wait under it, in number."),
  perhaps: z.int().describe("How many of these it covers only because the platform leaves a field null."),
  runs: z.int().describe("Decided runs that are not continued meanwhile."),
  gates: z.int().describe("Approvals given before that gates at tools refuse meanwhile."),
  on_way: z.int().describe("Approvals that were on their way to the platform already, so their calls may have run."),
})

/** The models, by their names in the document. */
export const models = {
  Case: caseModel,
  CasePage: z.strictObject({
    cases: z.array(caseModel),
    next: textOrNull.describe("The cursor of the next page."),
    perhaps: z.int().describe("Cases that may be asked for: what `when` looks at is masked, erased or in doubt."),
  }),
  EntryPage: entryPage,
  Receipt: z.strictObject({
    decision: text,
    receipt: text.describe("A compact JWS; `countersign receipt verify` checks it offline."),
    verified: z.boolean().describe("True if it was signed by a key of this installation, for this decision."),
    kid: textOrNull,
    problem: textOrNull.describe("Why it is not verified."),
    claims: z.unknown(),
  }),
  StopList: z.strictObject({ stops: z.array(stopModel).describe("Those in force, the oldest first.") }),
  StopAnswer: z.strictObject({
    stop: stopModel,
    again: z
      .boolean()
      .describe("True if an older stop covers the same for at least as long: this is it, and nothing changed."),
    under: underModel
      .nullable()
      .describe("What is under it; null if that could not be counted in time. It is stopped all the same."),
    goes_on: text.describe("What a stop does not stop."),
    end: text.describe("How to end it."),
  }),
  Refusal: z.strictObject({ detail: text }),
  ValidationError: z.strictObject({
    detail: z.array(z.strictObject({ type: text, loc: z.array(text), msg: text, input: z.unknown() })),
  }),
} as const

/** The name of a model. */
export type ReadModelName = keyof typeof models

/** A case as the API shows it. */
export type ToldCase = z.output<typeof caseModel>
/** A stop as the API shows it. */
export type ShownStop = z.output<typeof stopModel>
/** What is under a stop, as the API counts it. */
export type CountedUnder = z.output<typeof underModel>
/** An entry as the API shows it. */
export type ToldEntry = z.output<typeof entryModel>
