// The names by which Slack tells us what was pressed.

/** `action_id`s of our buttons. If a button may stand several times in one block, it appends a word of its own. */
export const actionIds = {
  approve: "countersign_approve",
  reject: "countersign_reject",
  details: "countersign_details",
  page: "countersign_page",
  withdraw: "countersign_withdraw",
  callBack: "countersign_call_back",
  breakGlass: "countersign_break_glass",
  sendBack: "countersign_send_back",
  ask: "countersign_ask",
  answer: "countersign_answer",
  glassRight: "countersign_glass_right",
  glassWrong: "countersign_glass_wrong",
  askAgain: "countersign_ask_again",
  reveal: "countersign_reveal",
  receipt: "countersign_receipt",
  receiptText: "countersign_receipt_text",
  list: "countersign_list",
  review: "countersign_review",
  next: "countersign_next",
  homeReject: "countersign_home_reject",
  homePage: "countersign_home_page",
  search: "countersign_search",
  guide: "countersign_guide",
  beAway: "countersign_be_away",
  endAbsence: "countersign_end_absence",
  test: "countersign_test",
  stopAgent: "countersign_stop_agent",
  endStop: "countersign_end_stop",
  rejectWaiting: "countersign_reject_waiting",
} as const

/** `callback_id`s of our modals. */
export const viewIds = {
  details: "countersign_details",
  form: "countersign_form",
  glassReview: "countersign_glass_review",
  ask: "countersign_ask",
  answer: "countersign_answer",
  told: "countersign_told",
  receipt: "countersign_receipt",
  home: "countersign_home",
  stop: "countersign_stop",
  endStop: "countersign_end_stop",
  away: "countersign_away",
  rejectWaiting: "countersign_reject_waiting",
} as const

/** `callback_id` of the message shortcut. */
export const shortcutId = "countersign_show"

/** The blocks of the form for a vote, and the one `action_id` that each input has. */
export const formIds = {
  field: "field",
  result: "result",
  choice: "choice",
  reason: "reason",
  typed: "typed",
  lasting: "lasting",
  value: "value",
} as const

/** `event_type`s of the metadata on our messages: ids only, because every app in the channel can read them. */
export const metadataTypes = {
  card: "countersign_card",
  line: "countersign_line",
  summary: "countersign_summary",
  checkpoint: "countersign_checkpoint",
  question: "countersign_question",
} as const

/** The path that serves all of Slack's requests in HTTP mode: events, interactions and commands. */
export const eventsPath = "/slack/events"
