// The command line of Countersign. `countersign help` lists the commands. Each loads its modules only if it is called.
import { fileURLToPath } from "node:url"
import { Command } from "commander"
import ours from "../../package.json" with { type: "json" }
import {
  addHoldCommands,
  addPeopleCommands,
  addPolicyCommands,
  addStopCommands,
  addWebhookCommands,
} from "./grouped-commands.ts"
import type { CasesExportOptions } from "./ledger/cases-export.ts"
import type { ExportOptions } from "./ledger/ledger-export.ts"
import { addOptions, alsoOf, example, readsConfig } from "./options.ts"
import { serviceOptionRows, servicePrefix } from "./service/service-rows.ts"
import { explainRows, inspectRows, mintRows } from "./service/token-options.ts"
import { CommandError, reporting, starts, terminal } from "./terminal.ts"
import { type NumberBounds, wholeNumberOf } from "./whole-number.ts"

type Flags = Readonly<Record<string, unknown>>

/** The folder `docs` of the clone, or of the package. */
const pages = fileURLToPath(new URL("../../docs", import.meta.url))

const program = new Command("countersign")
  .description("Puts a human signature under what an AI agent is about to do.")
  .version(ours.version, "--version", "print the version")
  .addHelpText("after", `\nMessages name pages of docs/. It lies here: ${pages}`)
  .showHelpAfterError("(countersign help lists the commands, and countersign help COMMAND its options)")

readsConfig(program.command("run"))
  .description("run the bot, configured by countersign.yaml and the environment")
  .option("--activate", "make a config active again that was replaced earlier", false)
  .option(
    "--dry-run",
    "poll once and print each card with its rule, approvers and route; write nothing anywhere",
    false,
  )
  .addHelpText("after", example("countersign run", "countersign run --dry-run"))
  .action(starts(async () => (await import("./run.ts")).run))

program
  .command("demo")
  .description("a platform, a Slack workspace and the bot on this machine, without any account")
  .option("--once", "carry one approval and one rejection through, then end", false)
  .option("--json", "with --once: print the platform's records with their receipts, for programs", false)
  .option("--port <port>", "port of the workspace's page", numberIn("--port", [0, 65_535]), 0)
  .addHelpText("after", example("countersign demo --port 4000"))
  .action(starts(async () => (await import("./demo/demo.ts")).demo))

program
  .command("sandbox")
  .description("a Slack workspace on this machine, to try a bot of your own in")
  .option("--port <port>", "port of the workspace", numberIn("--port", [0, 65_535]), 0)
  .addHelpText("after", example("countersign sandbox --port 4400 > sandbox.env"))
  .action(starts(async () => (await import("./sandbox.ts")).sandbox))

const service = program
  .command("service")
  .description("run the embedded Agent Platform Service alone")
  .option("--config <file>", "YAML file with these options, dashes as underscores (SERVICE_CONFIG)")
service.addHelpText("after", example("countersign service --script agents.yaml --port 7777"))
addOptions(service, serviceOptionRows, servicePrefix).action((flags: Flags) =>
  reporting(async () => (await import("./service/service.ts")).runService(terminal, { flags, env: process.env })),
)

// By itself, commander adds a help command only to a command that does nothing else.
service.helpCommand(true)
service
  .command("conformance")
  .description("test any platform against the specification; exit code 1 if it deviates, 2 if it cannot be tested")
  .argument("<url>", "address of the platform, with its path if it has one")
  .option("--token-file <file>", "file that holds the credential; default: what PLATFORM_TOKEN holds")
  .option("--only <family>", "only this family, such as approvals or schedules; may be repeated", alsoOf, [])
  .option("--write", "also make, change and delete rows of its own; without it only reads are sent", false)
  .option("--agent <id>", "with --write: an agent that may be started; what its run pauses for is rejected")
  .option("--message <text>", "what the agent is told", "Please do what you are for.")
  .option("--json", "print every check for programs", false)
  .addHelpText("after", example("countersign service conformance https://agents.example.com --write"))
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action(starts(async () => (await import("./service/conformance.ts")).conformance))

const token = program.command("token").description("tokens of an Agent Platform Service")
const tokenPlaces = (flags: Flags) => ({ flags, env: process.env, clock: Date.now })
addOptions(token.command("mint"), mintRows, servicePrefix)
  .description("mint a JWT for development, or a service account")
  .addHelpText("after", example("countersign token mint --subject jane --scope approvals:read"))
  .action((flags: Flags) =>
    reporting(async () => (await import("./service/token.ts")).mintToken(terminal, tokenPlaces(flags))),
  )
addOptions(token.command("inspect <token>"), inspectRows, servicePrefix)
  .description("print what a token says, and with keys whether it holds")
  .addHelpText("after", example("countersign token inspect eyJhbGciOi…"))
  .action((text: string, flags: Flags) =>
    reporting(async () => (await import("./service/token.ts")).inspectToken(terminal, text, tokenPlaces(flags))),
  )
addOptions(token.command("explain <token>"), explainRows, servicePrefix)
  .description("say which routes a token opens, and what the bot lacks with it")
  .addHelpText("after", example("countersign token explain eyJhbGciOi…"))
  .action((text: string, flags: Flags) =>
    reporting(async () => (await import("./service/token.ts")).explainToken(terminal, text, tokenPlaces(flags))),
  )

readsConfig(program.command("doctor"))
  .description("probe everything the bot depends on; exit code 1 if there are errors")
  .option("--json", "print the findings for programs", false)
  .option(
    "--test-card [route]",
    "post a card that decides nothing: to a channel or person, else to the first route",
    routeOf,
  )
  .option("--gate <files...>", "look at the files of gates at tools: do they pin what signs now, and what will?")
  .addHelpText("after", example("countersign doctor", "countersign doctor --test-card C012ABCDEF"))
  .action(starts(async () => (await import("./doctor/doctor.ts")).doctor))

const whenOption = [
  "--when <condition>",
  "only cases with a call for which this holds, as in a rule's when: args.amount > 1000",
] as const

const ledger = program.command("ledger").description("the record of everything that happened")
readsConfig(ledger.command("verify"))
  .description(
    "recompute every MAC and chain, and compare with the signed checkpoints; exit code 1 if one does not hold",
  )
  .option(
    "--anchors <file>",
    "checkpoints kept elsewhere: our file, or lines of the log; default: this installation's file",
  )
  .option("--keys <jwks>", "a key set, as file or address, besides the installation's own")
  .addHelpText("after", example("countersign ledger verify --anchors checkpoints.jsonl"))
  .action(starts(async () => (await import("./ledger/ledger.ts")).ledgerVerify))
readsConfig(ledger.command("export"))
  .description("print entries as JSON lines, which leave nothing out, or as CSV for a spreadsheet")
  .option("--from <time>", "the first entry: its number, or a time (ISO 8601)")
  .option("--to <time>", "the last entry: its number, or a time or day")
  .option("--case <id>", "only one case: its id or its approval's")
  .option(...whenOption)
  .option("--format <format>", "jsonl or csv", "jsonl")
  .addHelpText(
    "after",
    example(
      "countersign ledger export --from 2026-11-01 --format csv",
      "countersign ledger export --from 2026-11-01 --when 'args.amount > 1000' --format csv",
    ),
  )
  .action(
    starts(async () => {
      const { ledgerExport } = await import("./ledger/ledger-export.ts")
      return (own, options: ExportOptions) => ledgerExport(own, process.stdout, options)
    }),
  )
readsConfig(ledger.command("prove"))
  .description("print the proof that an entry is in the ledger; countersign receipt verify checks it offline")
  .argument("<number>", "the entry's sequence number", numberIn("the entry's number", [1, Number.MAX_SAFE_INTEGER]))
  .option("--anchors <file>", "checkpoints kept elsewhere; default: this installation's file")
  .option("--keys <jwks>", "a key set, as file or address, besides the installation's own")
  .addHelpText("after", example("countersign ledger prove 42 > proof.json"))
  .action(starts(async () => (await import("./ledger/ledger.ts")).ledgerProve))

readsConfig(ledger.command("accept"))
  .description("compare Redis with what is known outside it, and accept a restored backup")
  .argument("[size]", "how many entries there are, as shown")
  .argument("[root]", "the root over them, as shown")
  .addHelpText("after", example("countersign ledger accept"))
  .action(starts(async () => (await import("./ledger/ledger-accept.ts")).ledgerAccept))

const cases = program.command("cases").description("what was asked and decided, case by case")
readsConfig(cases.command("export"))
  .description("print cases for a spreadsheet, latest first: a line for each call, a column for each kept argument")
  .option("--from <time>", "first seen then or later: a day (UTC), or a time with its zone")
  .option("--to <time>", "first seen then or earlier: a day, which counts whole, or a time")
  .option(...whenOption)
  .option("--state <state>", "open, sending, settled, closed, frozen, waiting (the first two) or over (the next two)")
  .option("--outcome <outcome>", "approved, rejected, expired, elsewhere or gone")
  .option("--tool <name>", "the tool; * is any text")
  .option("--agent <name>", "the agent; * is any text")
  .option("--team <id>", "the team; * is any text")
  .option("--person <who>", "who voted: a Slack user id, or the name on the vote")
  .option("--text <words>", "words that the case holds: ids, names, reasons")
  .option("--format <format>", "csv, or jsonl, which cuts and marks nothing", "csv")
  .addHelpText(
    "after",
    example("countersign cases export --from 2026-07-01 --to 2026-09-30 --when 'args.amount > 1000'"),
  )
  .action(
    starts(async () => {
      const { casesExport } = await import("./ledger/cases-export.ts")
      return (own, options: CasesExportOptions) => casesExport(own, process.stdout, options)
    }),
  )

readsConfig(program.command("report"))
  .description("count what was asked and decided in a range of time, from the verified ledger, as Markdown")
  .option("--from <time>", "where the range begins: a day (UTC), or an instant; default: the last full month")
  .option("--to <time>", "where it ends: a day, which counts whole, or an instant, which does not; default: now")
  .option("--people", "also by person: who voted, how often, and how long it took them", false)
  .option("--json", "print it for programs", false)
  .option("--anchors <file>", "checkpoints kept elsewhere; default: this installation's file")
  .option("--keys <jwks>", "a key set, as file or address, besides the installation's own")
  .addHelpText("after", example("countersign report --from 2026-11-01 --to 2026-11-30 --people"))
  .action(starts(async () => (await import("./report/report.ts")).ledgerReport))

const receipt = program.command("receipt").description("signed statements of decisions")
readsConfig(receipt.command("verify"))
  .description("verify a receipt, a record that holds one, or an inclusion proof; exit code 1 if it does not hold")
  .argument("<file>")
  .option("--keys <jwks>", "the key set, as file or address; default: this installation's")
  .option("--record <file>", "the platform's record: is its content what was decided?")
  .option("--proof <file>", "the inclusion proof of the entry that names the receipt")
  .addHelpText(
    "after",
    example("countersign receipt verify receipt.txt --keys https://bot.example.com/.well-known/jwks.json"),
  )
  .action(starts(async () => (await import("./ledger/receipt.ts")).receiptVerify))
readsConfig(receipt.command("show"))
  .description("print the receipt of a decision")
  .argument("<decision>")
  .addHelpText("after", example("countersign receipt show DECISION > receipt.txt"))
  .action(starts(async () => (await import("./ledger/receipt.ts")).receiptShow))
readsConfig(receipt.command("keys"))
  .description("print the set of public keys that receipts are verified with")
  .addHelpText("after", example("countersign receipt keys > keys.json"))
  .action(starts(async () => (await import("./ledger/receipt.ts")).receiptKeys))

const keys = program.command("keys").description("the keys by which others tell what this installation signed")
readsConfig(keys.command("export"))
  .description("print the file that a gate at a tool pins: installation and public keys (docs/tool-gate.md)")
  .option("--instance <name>", "only approvals of this instance; default: all of the installation")
  .option("--next <file>", "the private key that will sign next, so that gates know it before it does")
  .option("--bot <url>", "where gates reach the bot, if they do: they then ask it which decisions ended")
  .addHelpText("after", example("countersign keys export > countersign-gate.json"))
  .action(starts(async () => (await import("./ledger/gate-file.ts")).keysExport))

addStopCommands(program)
addHoldCommands(program)
addWebhookCommands(program)
addPeopleCommands(program)
addPolicyCommands(program)

program
  .command("manifest")
  .description("print the Slack app's manifest")
  .option("--url <url>", "the bot's public https address: prints the manifest for HTTP mode")
  .addHelpText("after", example("countersign manifest --url https://bot.example.com"))
  .action(starts(async () => (await import("./manifest.ts")).printManifest))

// The program that reads our output may close it before the end.
process.stdout.on("error", (error: Error) => {
  if ("code" in error && error.code === "EPIPE") process.exit(0)
  throw error
})

void program.parseAsync(helpOrdered(process.argv.slice(2)), { from: "user" })

/** Turns `help ledger export` into the order that commander takes: `ledger help export`. */
function helpOrdered(given: readonly string[]): readonly string[] {
  const [word, ...names] = given
  return word === "help" && names.length > 1 ? [...names.slice(0, -1), "help", ...names.slice(-1)] : given
}

/** A parser for commander: a whole number within bounds. */
function numberIn(place: string, bounds: NumberBounds): (text: string) => number {
  return (text) => {
    try {
      return wholeNumberOf(place, text, bounds)
    } catch (error) {
      if (error instanceof CommandError) return program.error(error.message)
      throw error
    }
  }
}

function routeOf(text: string): string {
  if (!/^[CGUW][A-Z0-9]{1,30}$/.test(text))
    program.error(`--test-card takes the id of a channel (C…) or of a person (U…), not ${text}`)
  return text
}
