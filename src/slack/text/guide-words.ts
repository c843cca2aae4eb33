// The guide for people who are asked: one text, which a modal shows and `docs/approving.md` holds.

/** Its title, and the label of the button that opens it. */
export const guideTitle = "How to Approve"

/** One part of the guide. Its lines are paragraphs, or items of a list. */
export interface GuidePart {
  readonly title: string
  readonly lines: readonly string[]
  /** The name of its picture in `docs`, and what that shows. */
  readonly picture?: readonly [name: string, shows: string]
}

/** The guide, in the order of reading. */
export const guideParts: readonly GuidePart[] = [
  {
    title: "What a card says",
    lines: [
      "The first line says what is asked. Below it stands what will run, exactly as it will run.",
      "The grey line says who asks, since when, and by when you have to decide, if there is a deadline.",
      "Then the card says who must agree. A line with ⚠ is a warning: read it first.",
      "“Never approved so far” names what no earlier approval had. “Changed” names what is other than when you " +
        "were asked.",
    ],
    picture: ["demo-phone.png", "a card that waits, on a phone"],
  },
  {
    title: "What your press does",
    lines: [
      "Approve lets it run if nobody else has to agree. If others have to, your approval counts, and the card " +
        "says how many are missing.",
      "Reject ends it: one rejection is enough, and nothing runs.",
      "Fill In… and Enter Result… open a form first. With Enter Result… you do the work yourself, and say what " +
        "came of it.",
      "Press once. The card changes at once; if your press does not count, only you are told, and why.",
    ],
  },
  {
    title: "Why Approve may be missing",
    lines: [
      "“Parts are hidden”: the card was too small for all of it. Press Review Details, and open every page; " +
        "Approve stands on the last one.",
      "A mask hides more than one value: press Reveal Masked Values in Details. That is recorded.",
      "You asked for it yourself, and the rule wants somebody else. You may still reject it, or call it back.",
      "You are not among those whom the card names. Guests and people of other companies decide only where a " +
        "rule lets them.",
      "Time is up, somebody has decided, or the agent does not wait any more: the card says which.",
    ],
    picture: ["approving-hidden.png", "a card whose parts are hidden"],
  },
  {
    title: "If an agent runs wild",
    lines: [
      "Type `/approvals stop agent:NAME` and why, or press Stop This Agent… in Details. It holds at once: nothing " +
        "that the agent asks for is approved until somebody ends that.",
      "A card under a stop says who stopped it and why. You can still reject it.",
      "`/approvals stops` lists what is stopped. End… first says what goes on then. You may take back your own stop " +
        "within 10 minutes; after that somebody else has to end it.",
    ],
  },
  {
    title: "Details",
    lines: [
      "Details show all of it: first what will run, then what your press does, who must agree, and the rest.",
      "Values stand as they are. Characters that nobody can see stand as their number, such as ⟨U+202E⟩.",
    ],
    picture: ["approving-details.png", "Details of a card"],
  },
  {
    title: "Asking",
    lines: [
      "Do you not know yet? Ask… in Details sends a question to whoever asked for it, or to those whom the rule " +
        "names for that. At most five go out about one approval.",
      "The answer stands in the thread and in Details, and you get it directly. It is not part of what is approved, " +
        "and no agent reads it.",
      "Nothing waits for it: time goes on, votes stay, and anybody who may decide can decide meanwhile. Then nobody " +
        "answers any more.",
      "If you are asked, press Answer…. The first answer counts, and stands under your name.",
    ],
  },
  {
    title: "Reasons",
    lines: [
      "A rejection may need a reason. The person who asked reads it first, the agent may read it too, and it " +
        "stays on the card and in the ledger.",
      "Write what has to be different: “Wrong IBAN, the right one is on the invoice”.",
    ],
    picture: ["approving-reason.png", "the form of a rejection"],
  },
  {
    title: "Sending it back",
    lines: [
      "In Details, or in the form that Reject opens, press Send Back… to say “not like this, but like that”: change " +
        "the values that should be different, and write why. That is a rejection.",
      "The agent reads it where your company lets rejected runs go on; else the form says so, and the card or " +
        "Details have the text to pass on.",
      "What the agent then asks has a card of its own. It says who proposed these arguments, or which are not as " +
        "proposed. Read and decide it like any other.",
      "Of several calls you say for each: ask again with changes, as it is, or not at all.",
      "If you proposed a value, you asked for it: somebody else may have to approve it.",
    ],
  },
  {
    title: "Taking it back",
    lines: [
      "While others have to agree, open Details and press Withdraw My Vote. You can vote again afterwards.",
      "Once a decision is sent, nobody can take it back here: talk to whoever runs the agent.",
      "If what will run changes, or the rules do, all votes are void, and you are asked again.",
    ],
    picture: ["approving-vote.png", "a card that one of two people approved"],
  },
  {
    title: "Asked again and again",
    lines: [
      "Some rules let you tick “and the same call for 10 minutes” when you reject. If exactly the same is asked " +
        "again within that time, for the same requester, it is rejected without asking you. The card says how often.",
      "An agent that does not stop stands still after three times; the card says so. Press Ask Me Again there if you " +
        "want to be asked. Anybody who may reject it can.",
    ],
  },
  {
    title: "Breaking glass",
    lines: [
      "In an emergency Details may offer Break Glass…, if every rule that asks lists you for that. You approve alone " +
        "then, with a reason.",
      "The card says so, everybody who was passed over is mentioned, and a reviewer is asked whether it was right. " +
        "You cannot say that yourself.",
      "Reviewers press It Was Right or It Was Not… on their own card. Without an answer an alarm stands.",
      "“It was not” undoes nothing. Stop the agent, undo at the tool what can be undone, and ask whoever runs " +
        "Countersign who may break the glass.",
    ],
  },
  {
    title: "While you are away",
    lines: [
      "Nothing is ever approved because nobody answered.",
      "You may be reminded, and others may be asked as well. When time is up, it is rejected, or waits on the " +
        "agent's platform: the card says which.",
      "Home and `/approvals list` show what waits for you, the most urgent first. `/approvals history` shows " +
        "what was decided.",
      "A press that reaches us more than two minutes late does not count: you are asked to press again.",
    ],
    picture: ["approving-home.png", "Home, with what waits"],
  },
  {
    title: "Standing in",
    lines: [
      "Type `/approvals away until monday @bob`, or press *Be Away…* on Home: until that day begins, Bob may vote " +
        "for you, where a rule lists you as an approver and Bob as a stand-in. Without a person or a clear day a " +
        "form asks. You are both told.",
      "A vote of Bob's then counts in place of yours, once, and says that it was for you. If you vote all the same, " +
        "yours counts and Bob's does not.",
      "What you may not approve, Bob may not approve for you. Bob passes nothing on to others.",
      "`/approvals back` ends it, and so does End It, for both of you. A vote of Bob's that decided nothing by then " +
        "does not count any more.",
    ],
  },
]
