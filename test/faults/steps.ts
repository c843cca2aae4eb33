// The words of docs/faults.md: the steps of one approval, what happens if each is cut off, and what else a seed brings.

/** A step, and what happens in it when something breaks. */
export interface Step {
  readonly name: string
  /** Beginnings of the labels that belong to it. */
  readonly labels: readonly string[]
  readonly dies: string
  readonly redis: string
  readonly unheard: string
}

/** The steps of one approval, and what happens where each is cut off. */
export const steps: readonly Step[] = [
  {
    name: "poll",
    labels: ["platform.pending", "store.commit.opened"],
    dies: "The next poll, in another process if need be, reads the list again; a case is opened once, by its id.",
    redis:
      "The poll fails and comes again. If Redis forgot a case, it is opened again; if it forgot a clock, that starts again within 10 s.",
    unheard: "The list is read again at the next poll.",
  },
  {
    name: "card",
    labels: ["chat.postCard", "chat.updateCard", "chat.findCard", "pace.", "store.commit.placed", "store.commit.note"],
    dies: "The claim on the route expires after 15 s; the next presenter looks for the card by its metadata and takes it over. Without history scopes it posts a second one, which says that it replaces the first.",
    redis: "For two minutes after Redis came back a presenter looks for a card before it posts one.",
    unheard: "Nobody knows whether Slack took it: the same as if the process dies.",
  },
  {
    name: "thread",
    labels: ["chat.tell:", "chat.countLines"],
    dies: "The next presenter counts the lines that stand there and goes on after them. Without history scopes, the message that was under way may stand there twice.",
    redis: "It counts lines before it writes more, as for the card.",
    unheard: "The same as if the process dies.",
  },
  {
    name: "click",
    labels: ["tickets."],
    dies: "Before the ticket is written, nobody acknowledges: Slack shows an error, and the person presses again. After that, another process takes the ticket up after 5 s. A press older than 120 s approves nothing, and the person hears so.",
    redis:
      "Without a ticket there is no ack. If Redis forgot a ticket, the process that took the press still carries it out; if that died too, the card stays open. After a lost second, earlier presses no longer count, and their people are told to press again.",
    unheard:
      "A delivery that comes twice counts once; an ack that was lost changes nothing. If Slack did not take an answer, the ticket repeats it, for half an hour after the press.",
  },
  {
    name: "decide",
    labels: [
      "platform.get",
      "people.",
      "store.read",
      "store.commit.voted",
      "store.commit.decided",
      "store.commit.held",
      "store.commit.withdrawn",
    ],
    dies: "Vote and verdict are one commit: all of it or none. The ticket repeats the step.",
    redis:
      "After a lost race or a lost answer, the case is read again; a commit that was sent twice counts once. After a restart, a case is compared with the platform before a vote on it counts. If the lost second touched a case, its votes are void, and people are asked again.",
    unheard: "The ticket stays, and the person hears that it will be tried again.",
  },
  {
    name: "resolve",
    labels: ["platform.resolve", "store.commit.resolved", "store.commit.recovered", "jobs.resolve"],
    dies: "The verdict is frozen: the same body is sent again, each time after a read that says pending with its digest.",
    redis:
      "If Redis forgot a decision, it comes back from the platform's record, by its MAC. If it never got there, people vote again.",
    unheard:
      'The record is read back and says how it ended. Content that changes after such a POST keeps the card at "not known yet" until the record moves.',
  },
  {
    name: "settle",
    labels: ["chat.settleClicked", "chat.answer", "store.commit.closed", "store.commit.elsewhere"],
    dies: "The sweep finds the case unfinished and brings every card up to date.",
    redis:
      "The same: the platform's record says what is settled. After a restart, open cases are compared in turn, three every 5 s, and their cards drawn once more, since a card may show what Redis forgot.",
    unheard: "The card is drawn again; if the response_url fails, the Web API sends the answer.",
  },
  {
    name: "time",
    labels: ["store.commit.reminded", "store.commit.escalated", "store.commit.expired", "jobs.remind"],
    dies: "The deadline is due until a commit notes it; the process that looks next makes that commit.",
    redis: "A deadline that was noted in a lost second is due again, and noted again.",
    unheard: "The line of a reminder waits for Slack; the expiry is noted all the same.",
  },
  {
    name: "summary",
    labels: ["chat.postSummary", "chat.updateSummary", "chat.tellOnSummary", "summaries.", "jobs.summarise"],
    dies: "The claim on the summary expires after 15 s; the next one looks for the message by its metadata. Without history scopes it posts a second one, and the first leads to the same cases.",
    redis: "The list of what waits in the channel is made again from the cases.",
    unheard: "The same as if the process dies.",
  },
  {
    name: "run",
    labels: ["continues.", "runs.", "jobs.resume", "store.commit.continued", "store.commit.run-ended"],
    dies: "A note is made before a run is continued, once for good: the next process only reads how the run ended.",
    redis:
      "The same note; if Redis may have forgotten it, a read of the run shows what happened. If the run still waits, no approved call is let run once more, and the card says who has to look.",
    unheard:
      "Nobody continues it a second time; the run is read until it has ended, or the card says that nobody knows.",
  },
  {
    name: "orders",
    labels: ["toldOrders."],
    dies: "Stop, absence and their ends are entries before anybody is told. Another process tells after 30 s; a message that was under way may come twice.",
    redis:
      "Who knew of an order that Redis forgot puts it back. If nobody did, everything is stopped until a person ends that.",
    unheard: "The message is sent again; it may come twice.",
  },
  {
    name: "talk",
    labels: [
      "store.sentBackIn",
      "store.about",
      "store.commit.asked",
      "store.commit.answered",
      "store.commit.asks-again",
      "chat.postQuestion",
      "chat.tellAnswer",
    ],
    dies: "What a call has to do with an earlier one is part of the commit that opens its case: a comparison, or the rejection that it repeats. A question or an answer is noted before it is posted; the ticket posts what is missing, and looks for a question first. Whoever asked may be told an answer twice.",
    redis:
      "What Redis forgot of a comparison or a question is asked or said anew. A rejection lasts no longer: people are asked.",
    unheard: "A question is looked for before it is posted once more. Whoever asked may be told an answer twice.",
  },
  {
    name: "repair",
    labels: ["jobs.present", "jobs.reconcile", "store.commit.revised"],
    dies: "A job of a dead process goes to another after its lock of 10 s; the sweep asks for it anew.",
    redis: "The sweep asks for it anew.",
    unheard: "It is compared again at the next poll.",
  },
]

/** What else a seed may bring, wherever it stands; and what becomes of it. */
export const disturbances: readonly (readonly [what: string, becomes: string])[] = [
  ["Slack says 429", "That channel waits as long as Slack says, and no other channel does; nothing is lost."],
  [
    "Slack turns new sockets away",
    "They are tried less and less often, and an alarm says so. If somebody presses meanwhile, they see an error.",
  ],
  [
    "more cards wait than one minute's looks can cover, and nobody touches them",
    "The looks go from card to card, within Slack's limits over all replicas.",
  ],
  [
    "Slack drops the socket, or delivers late or twice",
    "If a press was not acknowledged, the person sees an error; if they press again, that counts once. The same delivery counts once.",
  ],
  [
    "the platform's database is away, so that it knows no approval and lists none",
    "That is no deletion: the cases wait, with their votes, verdicts and held rejections, and go on once it is back.",
  ],
  [
    "two people press at once",
    "One commit wins; the other press is judged again on the new state, and its answer follows from that.",
  ],
  [
    "whoever started a run cancels it, and the platform shows that nowhere",
    "If it is approved, its call runs, and only then the run is cancelled. The card says that the call ran, and so does an alarm.",
  ],
  [
    "the platform is killed while it works on a continue",
    "Once it is back and the run waits at the same calls, the card says that nobody can tell what became of it. Nothing is sent again.",
  ],
  [
    "the connection of a continue breaks, and the platform works on",
    "The run is read until it has ended, and the card says how.",
  ],
  ["somebody decides on the platform in between", "Our POST is refused, and the card says who decided elsewhere."],
  [
    "the content changes between card, press and resolve",
    "The card did not show what would run: the press is refused, votes are void, the card shows the new content.",
  ],
  [
    "clocks of replicas differ, by up to 20 s each way",
    "If two replicas compare times, they use the clock of Redis; a deadline goes by the clock of the replica that looks.",
  ],
  [
    "somebody stops what agents ask for while a press is judged, sent or continued, and ends that later",
    "From the entry of the stop on nothing that it covers is approved or let run. What was decided before and had not left is never sent: people press again after the end.",
  ],
  [
    "an approver is away, and comes back while a press of their stand-in is judged or sent",
    "The two count once. What the stand-in pressed after the end, or before it began, is no vote.",
  ],
  [
    "a replica starts with another config where `rules_change` says who approves that",
    "It is proposed, and nothing changes until these people approve it; one commit makes it active, wherever processes die.",
  ],
  [
    "a call is sent back with another value, and its program asks anew",
    "One of its next calls is compared, and that once. Whoever proposed the value does not approve it.",
  ],
  [
    "a program asks the same call again and again while its rejection lasts",
    "Three of a run are rejected by themselves, the next one waits without a card, and none after *Ask Me Again*.",
  ],
  [
    "replicas start with another config, one after the other",
    "All work under the newest config, even those with an older file; a press that was judged under another one is judged again.",
  ],
]

/** What is not at any step. */
export const anyTime = "any time"

/** The step to which a label belongs. */
export function stepOf(label: string): string {
  return steps.find(({ labels }) => labels.some((begin) => label.startsWith(begin)))?.name ?? anyTime
}
