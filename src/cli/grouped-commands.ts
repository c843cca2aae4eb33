// The commands `stop`, `stops`, `hold …`, `webhooks …`, `people …`, `activate` and `policy …`. Each loads its modules
// only when it is called.
import type { Command } from "commander"
import { alsoOf, example, readsConfig } from "./options.ts"
import { starts } from "./terminal.ts"

const offline = ["--offline", "ask nobody; addresses and secrets need not be set", false] as const
const json = ["--json", "print it for programs", false] as const

/** Adds the commands about people. */
export function addPeopleCommands(program: Command): void {
  const people = program
    .command("people")
    .description("whom the config's addresses mean, and the data kept about people")
  readsConfig(people.command("list"))
    .description(
      "list each pinned address: whom it means, since when, by whom, and whether it means somebody else by now",
    )
    .option("--json", "print them for programs", false)
    .addHelpText("after", example("countersign people list --json"))
    .action(starts(async () => (await import("./people/people.ts")).peopleList))
  readsConfig(people.command("link"))
    .description("say whom an address means, after Slack named somebody else for it")
    .argument("<email>")
    .argument("<id>", "Slack's ids: T…:U…, or U… in our own workspace")
    .addHelpText("after", example("countersign people link jane@corp.example U012ABCDEF"))
    .action(starts(async () => (await import("./people/people.ts")).peopleLink))
  readsConfig(people.command("unlink"))
    .description("forget whom an address means; the bot pins it again when it next meets it")
    .argument("<email>")
    .addHelpText("after", example("countersign people unlink jane@corp.example"))
    .action(starts(async () => (await import("./people/people.ts")).peopleUnlink))
  readsConfig(people.command("away"))
    .description("say that a person is away and who may vote for them, where a rule lets them; without people: list")
    .argument("[person]", "who is away: T…:U…, or U… in our own workspace")
    .argument("[stand-in]", "who stands in, one of a rule's stand_ins")
    .option("--until <day>", "back when this day begins: tomorrow, monday, or a date such as 2026-12-01")
    .option("--zone <name>", "where that day begins, such as Europe/Berlin", "UTC")
    .option("--json", "print the list for programs", false)
    .addHelpText("after", example("countersign people away U012ABCDEF U034ABCDEF --until 2026-12-01"))
    .action(starts(async () => (await import("./people/people-away.ts")).peopleAway))
  readsConfig(people.command("back"))
    .description("end an absence")
    .argument("<person>", "who is back, or the id of the absence")
    .addHelpText("after", example("countersign people back U012ABCDEF"))
    .action(starts(async () => (await import("./people/people-away.ts")).peopleBack))
  readsConfig(people.command("erase"))
    .description("remove a person's text and names for good; exit code 1 if some of it has to wait")
    .argument("<person>", "T…:U…, or an address that the ledger knows")
    .option("--also <name>", "another address or name of theirs; may be given several times", alsoOf, [])
    .addHelpText("after", example('countersign people erase T012ABCDEF:U012ABCDEF --also "Jane Doe"'))
    .action(starts(async () => (await import("./people/people.ts")).peopleErase))
}

/** Adds the commands that stop what agents ask for. */
export function addStopCommands(program: Command): void {
  readsConfig(program.command("stop"))
    .description("stop approvals at once: of everything, or of what all the words name; then say why")
    .argument(
      "<words...>",
      "everything, or agent:NAME, tool:NAME, team:NAME, workflow:NAME, instance:NAME; behind them the reason",
    )
    .option("--for <time>", "end it by itself after this time, such as 30m, 2h or 3d")
    .addHelpText("after", example("countersign stop agent:billing-agent runaway refunds --for 2h"))
    .action(starts(async () => (await import("./orders/stops.ts")).stop))
  const stops = readsConfig(program.command("stops"))
    .description("list what is stopped, and end a stop")
    .option(...json)
    .addHelpText("after", example("countersign stops"))
    .action(starts(async () => (await import("./orders/stops.ts")).stopsList))
  // By itself, commander adds a help command only to a command that does nothing else.
  stops.helpCommand(true)
  readsConfig(stops.command("end"))
    .description("end a stop; what waited under it can be approved again")
    .argument("<id>", "the stop's id, as countersign stops lists it")
    .addHelpText("after", example("countersign stops end 3fa91c02"))
    .action(starts(async () => (await import("./orders/stops.ts")).stopsEnd))
}

/** Adds the commands that keep cases from going. */
export function addHoldCommands(program: Command): void {
  const hold = program
    .command("hold")
    .description("keep cases and their arguments, whatever retention says and whoever is erased")
  const why = ["--reason <text>", "why, in your words"] as const
  readsConfig(hold.command("requester"))
    .description("keep the cases of whoever asked")
    .argument("<name>", "as the platform names them; * is any text")
    .requiredOption(...why)
    .addHelpText("after", example('countersign hold requester jane@corp.example --reason "lawsuit 12"'))
    .action(starts(async () => (await import("./orders/holds.ts")).holdRequester))
  readsConfig(hold.command("tool"))
    .description("keep the cases with a call of a tool")
    .argument("<name>", "the tool; * is any text")
    .requiredOption(...why)
    .addHelpText("after", example('countersign hold tool "refund_*" --reason "audit of 2026"'))
    .action(starts(async () => (await import("./orders/holds.ts")).holdTool))
  readsConfig(hold.command("case"))
    .description("keep one case")
    .argument("<id>", "its id, or its approval's")
    .requiredOption(...why)
    .addHelpText("after", example('countersign hold case b3b1a5c04f2d4b7e9a10 --reason "complaint"'))
    .action(starts(async () => (await import("./orders/holds.ts")).holdCase))
  readsConfig(hold.command("list"))
    .description("list what is on hold, by the config and by this command, and the erasures that wait for an end")
    .option(...json)
    .addHelpText("after", example("countersign hold list"))
    .action(starts(async () => (await import("./orders/holds.ts")).holdList))
  readsConfig(hold.command("end"))
    .description("end a hold; what it alone kept goes when its time is over, and who waits for it is erased now")
    .argument("<id>", "the hold's id, as countersign hold list has it")
    .addHelpText("after", example("countersign hold end 3fa91c02"))
    .action(starts(async () => (await import("./orders/holds.ts")).holdEnd))
}

/** Adds the commands about webhooks. */
export function addWebhookCommands(program: Command): void {
  const webhooks = readsConfig(program.command("webhooks"))
    .description("list the webhooks that ran: what waits, since when, and what was given up")
    .option(...json)
    .addHelpText("after", example("countersign webhooks"))
    .action(starts(async () => (await import("./webhooks/webhooks.ts")).webhooksList))
  // By itself, commander adds a help command only to a command that does nothing else.
  webhooks.helpCommand(true)
  readsConfig(webhooks.command("retry"))
    .description("send dead letters again: entries that a receiver did not accept for a day")
    .argument("<name>", "the webhook")
    .argument("[entries...]", "the numbers of entries; default: all its dead letters")
    .addHelpText("after", example("countersign webhooks retry siem", "countersign webhooks retry siem 1042 1043"))
    .action(starts(async () => (await import("./webhooks/webhooks.ts")).webhooksRetry))
  readsConfig(webhooks.command("replay"))
    .description("send everything from an entry of the ledger on, once more if it was sent before")
    .argument("<name>", "the webhook")
    .requiredOption("--from <entry>", "the number of the first entry")
    .addHelpText("after", example("countersign webhooks replay siem --from 1000"))
    .action(starts(async () => (await import("./webhooks/webhooks.ts")).webhooksReplay))
  readsConfig(webhooks.command("on"))
    .description("switch a webhook on again that is off because its receiver answered 410")
    .argument("<name>", "the webhook")
    .addHelpText("after", example("countersign webhooks on siem"))
    .action(starts(async () => (await import("./webhooks/webhooks.ts")).webhooksOn))
  readsConfig(webhooks.command("forget"))
    .description("remove what is kept of a webhook that the config does not have any more")
    .argument("<name>", "the webhook")
    .addHelpText("after", example("countersign webhooks forget siem"))
    .action(starts(async () => (await import("./webhooks/webhooks.ts")).webhooksForget))
}

/** Adds the commands about rules. */
export function addPolicyCommands(program: Command): void {
  readsConfig(program.command("activate"))
    .description("propose this config, where the active one has rules_change: people approve it on a card")
    .option("--without-approval", "make it active although nobody approved, a day after its proposal", false)
    .addHelpText("after", example("countersign activate", "countersign activate --without-approval"))
    .action(starts(async () => (await import("./policy/activate.ts")).activate))
  const policy = program.command("policy").description("the rules: what is wrong with them, and what they answer")
  readsConfig(policy.command("check"))
    .description(
      "find rules that are never reached or that nobody can satisfy, each with a call; exit code 1 if there are",
    )
    .option(...offline)
    .option("--strict", "exit code 1 also for warnings", false)
    .option(...json)
    .addHelpText("after", example("countersign policy check --strict"))
    .action(starts(async () => (await import("./policy/policy.ts")).policyCheck))
  readsConfig(policy.command("explain"))
    .description("say which rules an approval demands, why, and who may decide")
    .argument("<approval>", "a JSON file as GET /approvals/{id} answers it, or instance/id")
    .option(...offline)
    .option(...json)
    .addHelpText("after", example("countersign policy explain refund.json --offline"))
    .action(starts(async () => (await import("./policy/policy.ts")).policyExplain))
  readsConfig(policy.command("test"))
    .description("compare the rules with examples; exit code 1 if one comes out otherwise")
    .argument("<file>", "YAML: approvals, people, and the answers that are expected (docs/policy.md)")
    .option(...json)
    .addHelpText("after", example("countersign policy test tests.yaml"))
    .action(starts(async () => (await import("./policy/policy.ts")).policyTest))
  policy
    .command("diff")
    .description(
      "say which calls two configs decide otherwise, and every key that changes; " +
        "exit code 1 if any call is approved more easily, or may be",
    )
    .argument("<old>", "the config that counts now")
    .argument("<new>", "the one that shall count")
    .option("--allow <rule>", "a rule that may become looser; may be given several times", alsoOf, [])
    .option(...json)
    .addHelpText("after", example("countersign policy diff countersign.yaml new.yaml --allow refunds"))
    .action(starts(async () => (await import("./policy/policy-diff.ts")).policyDiff))
  readsConfig(policy.command("matrix"))
    .description("print who may decide what: each rule with its people, quorum, expiry, reason and review")
    .option(...offline)
    .option(...json)
    .addHelpText("after", example("countersign policy matrix --offline"))
    .action(starts(async () => (await import("./policy/policy-matrix.ts")).policyMatrix))
  readsConfig(policy.command("simulate"))
    .description("try rules on the cases that are kept: who would be asked, how long people would wait")
    .argument("<file>", "a config with the rules to try")
    .option("--since <time>", "cases from then on: a duration such as 30d, or a day; default: 30d")
    .option("--seed <number>", "what chance draws from, where waits are estimated", "1")
    .option(...json)
    .addHelpText("after", example("countersign policy simulate new.yaml --since 30d"))
    .action(starts(async () => (await import("./simulate/simulate.ts")).policySimulate))
}
