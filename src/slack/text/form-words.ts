// What the form of a vote says: its title, what is asked in it, and why it is not taken as it is.
import { buttonWords } from "./button-words.ts"

/** The title of a form and the word on its submit button, by what the form asks for. */
export const formNames = {
  form: { title: "Fill In and Approve", submit: buttonWords.approve },
  result: { title: "Enter Result", submit: "Send Result" },
  confirm: { title: "Confirm Result", submit: "Send Result" },
  press: { title: buttonWords.approve, submit: buttonWords.approve },
  reject: { title: "Reject", submit: buttonWords.reject },
  back: { title: "Call Back", submit: "Call Back" },
  sendBack: { title: "Send Back", submit: "Send Back" },
  glass: { title: "Break Glass", submit: "Break Glass" },
  review: { title: "It Was Not Right", submit: "Send" },
} as const

/** What ends a request, and who else is needed for that. */
export const endWords = {
  reject: "One rejection is enough: nobody else has to reject it.",
  sendBack: "One person is enough to send this back: nobody else has to.",
  back: "You asked for this, so you can call it back: then nobody has to decide it any more, and it is rejected.",
} as const

/** Why a form cannot be filled in: Slack holds no more than `max` of its values. */
export function tooManyValues(count: number, max: number): string {
  return `This asks for ${count} values, and a form in Slack holds ${max}: it cannot be approved here.`
}

/** Slack itself marks what is optional. */
const required = " (required)"

/** The label of an input; `name`: of the field. */
export function requiredLabel(name: string): string {
  return `${name}${required}`
}

/** What stands below a field. `said`: its description; `begins`: whose value it begins with. */
export function fieldHint(said: string, calls: number, begins: string): string {
  const shared = calls > 1 ? `The same value goes to ${calls} calls. ` : ""
  return `${said === "" ? "" : `${said} `}${shared}${begins}`
}

/** Whose value an input begins with, or why it begins with none. */
export const startWords = {
  guess: "The agent's guess: please check it.",
  earlier: "What the first approver filled in.",
  nothing: "The agent filled in nothing.",
  masked: "Its value is masked: Details can reveal it.",
  enter: "Please enter it.",
  elsewhere: "It cannot stand here; Details shows it.",
} as const

/** A choice that reads like another one: as JSON, with its number. */
export function numberedChoice(json: string, number: number): string {
  return `${json} · choice ${number}`
}

/** The label of the input for a result. */
export const resultLabel = requiredLabel("Result")

/** What stands below that input. `masked`: it begins with nothing, since the first result is masked. */
export function resultHint(
  tools: string,
  { several, masked, begun }: Readonly<Record<"several" | "masked" | "begun", boolean>>,
): string {
  const all = several ? " All of them get the same result." : ""
  const hidden = masked ? ` ${startWords.masked}` : ""
  const agreed = begun ? " Leave what the first person entered if it is right; do not run it again." : ""
  return `What came out when somebody ran ${tools}? The agent reads your text as it is.${all}${hidden}${agreed}`
}

/** The question for a reason, by what somebody does. */
export const askedWhy = {
  approve: "Why do you approve this?",
  reject: "Why do you reject this?",
  back: "Why do you call this back?",
  sendBack: "What should be different, and why?",
  glass: "Why can this not wait for the others?",
  review: "Why was it not right to break the glass?",
} as const

/** The label beside ready-made reasons, and where a reason stands. */
export const reasonWords = {
  own: "In your own words",
  hint: "It stands in the thread, in the ledger and in the platform's record.",
} as const

/** Where the reason of a review stands. */
export const reviewHint = "It stands in the thread and in the ledger. Nothing is undone by it."

/** What stands at an input that was left empty. */
export const missingWords = {
  value: "Please fill this in.",
  result: "Please paste the result.",
  reason: "Please say why.",
} as const
