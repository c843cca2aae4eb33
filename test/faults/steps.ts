// The steps of one approval, what happens where each is cut off, and what else a seed brings: the words of
// docs/faults.md.

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
      "The poll fails and comes again. A case that Redis forgot is opened again. A clock that it forgot is wound up within 10 s.",
    unheard: "The list is read again at the next poll.",
  },
  {
    name: "card",
    labels: ["chat.postCard", "chat.updateCard", "chat.findCard", "pace.", "store.commit.placed", "store.commit.note"],
    dies: "The claim on the route expires after 15 s; the next presenter looks for the card by its metadata and takes it over. Without history scopes it posts a second one, which says that it replaces the first.",
    redis: "For two minutes after Redis came back a presenter looks for a card before it posts one.",
    unheard: "Nobody knows whether Slack took it: as where the process dies.",
  },
  {
    name: "thread",
    labels: ["chat.tell:", "chat.countLines"],
    dies: "The next presenter counts the lines that stand there and goes on after them. Without history scopes the one message that was under way may stand there twice.",
    redis: "Lines are counted before more are written, as for the card.",
    unheard: "As where the process dies.",
  },
  {
    name: "click",
    labels: ["tickets."],
    dies: "Before the ticket nothing was acknowledged, and Slack shows an error: the person presses again. After it, the ticket fires in another process after 5 s. A press that is older than 120 s approves nothing and is answered so.",
    redis:
      "Without a ticket there is no ack. A ticket that Redis forgot is still carried out by the process that took it; if that died too, the card stays open. After a lost second a press from before counts no more, and the person is told to press again.",
    unheard:
      "A delivery that comes twice counts once; an ack that was lost changes nothing. An answer that Slack did not take is repeated by the ticket, for half an hour after the press.",
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
      "A lost race or a lost answer is read again; a commit that was sent twice counts once. After a restart a case is compared with the platform before a vote on it counts. Votes of a case that the lost second touched are void, and people are asked again.",
    unheard: "The ticket stays, the person is told that it is tried again.",
  },
  {
    name: "resolve",
    labels: ["platform.resolve", "store.commit.resolved", "store.commit.recovered", "jobs.resolve"],
    dies: "The verdict is frozen: the same body is sent again, each time after a read that says pending with its digest.",
    redis:
      "A decision that Redis forgot is taken up again from the platform's record, by its MAC. One that never got there is made anew, by new votes.",
    unheard:
      'The record is read back and says how it ended. Content that changes after such a POST keeps the card at "not known yet" until the record moves.',
  },
  {
    name: "settle",
    labels: ["chat.settleClicked", "chat.answer", "store.commit.closed", "store.commit.elsewhere"],
    dies: "The sweep finds the case unfinished and brings every card up to date.",
    redis:
      "The same: what is settled is read from the platform's record. After a restart open cases are compared in turn, three every 5 s, and their cards drawn once more: one may show what Redis forgot.",
    unheard: "The card is drawn again; an answer is sent by the Web API where the response_url fails.",
  },
  {
    name: "time",
    labels: ["store.commit.reminded", "store.commit.escalated", "store.commit.expired", "jobs.remind"],
    dies: "The deadline is due until the commit that notes it; whoever looks next makes that.",
    redis: "A deadline that was noted in a lost second is due again, and noted again.",
    unheard: "The line of a reminder waits for Slack; the expiry is noted all the same.",
  },
  {
    name: "summary",
    labels: ["chat.postSummary", "chat.updateSummary", "chat.tellOnSummary", "summaries.", "jobs.summarise"],
    dies: "The claim on the summary expires after 15 s; the next one looks for the message by its metadata. Without history scopes it posts a second one, and the first leads to the same cases.",
    redis: "What waits in the channel is listed anew from the cases.",
    unheard: "As where the process dies.",
  },
  {
    name: "run",
    labels: ["continues.", "runs.", "jobs.resume", "store.commit.continued", "store.commit.run-ended"],
    dies: "Before a run is continued that is noted, once for good: the next process only reads what became of it.",
    redis: "The same note; one that Redis forgot is found out by reading the run. Its call runs once at most.",
    unheard: "Nobody continues it a second time; the run is read until it has ended, or said to be unknown.",
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
  ["Slack says 429", "The channel waits as long as Slack says, and no other does; nothing is lost."],
  [
    "Slack turns new sockets away",
    "They are tried ever less often, and an alarm says so. What is pressed meanwhile is an error on the person's screen.",
  ],
  [
    "more cards than may be looked at in a minute wait, and nobody touches them",
    "They are looked at in turn, within Slack's limits over all replicas.",
  ],
  [
    "Slack drops the socket, or delivers late or twice",
    "A press that was not acknowledged is an error on the person's screen, and counts once if it is made again. The same delivery counts once.",
  ],
  [
    "the platform's database is away, so that it knows no approval and lists none",
    "That is no deletion: the cases wait, with votes, verdicts and what is held, and go on once it is back.",
  ],
  [
    "two people press at once",
    "One commit wins; the other press is read again on what that left, and is answered by it.",
  ],
  ["somebody decides on the platform in between", "Our POST is refused, and the card says who decided elsewhere."],
  [
    "the content changes between card, press and resolve",
    "What was shown is not what would run: the press is refused, votes are void, the card shows the new content.",
  ],
  [
    "clocks of replicas differ, by up to 20 s each way",
    "Whatever two replicas compare is timed by Redis; a deadline is kept by the clock of whoever looks.",
  ],
  [
    "replicas start with another config, one after the other",
    "All work under the newest config, those with an older file too; a press that was judged under another is judged again.",
  ],
]

/** What is not at any step. */
export const anyTime = "any time"

/** The step to which a label belongs. */
export function stepOf(label: string): string {
  return steps.find(({ labels }) => labels.some((begin) => label.startsWith(begin)))?.name ?? anyTime
}
