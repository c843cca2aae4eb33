// What somebody does on the page, sent to the sandbox's control API.
import type { ClickPlace } from "../user-actions/clicks.ts"
import type { Choice, Choices } from "../user-actions/values.ts"

/** A press on an element of a message or view. */
export interface Press {
  readonly place: ClickPlace
  readonly action: string
  readonly block: string
  /** What was chosen, for a menu. */
  readonly choose?: Choice
  /** What stands in the form around it. */
  readonly values?: Choices
}

/** One act each; it resolves when the app has answered, or when the page was told why not. Never rejects. */
export interface Acts {
  readonly press: (press: Press) => Promise<void>
  readonly submit: (view: string, values: Choices) => Promise<void>
  readonly close: (view: string) => Promise<void>
  /** Resolves with whether the line was a command that reached the app. */
  readonly command: (channel: string, line: string) => Promise<boolean>
  readonly shortcut: (callback: string, place: { readonly channel: string; readonly ts: string }) => Promise<void>
  readonly openHome: () => Promise<void>
}

/** Who acts, and who hears what went wrong, in words. */
export interface ActOptions {
  readonly token: string
  readonly person: string
  readonly complain: (words: string) => void
}

/** Makes the acts of one person. */
export function createActs(options: ActOptions): Acts {
  const send = (path: string, body: object) => post(options, path, body)
  return {
    press: async (press) => void (await send("click", press)),
    submit: async (view, values) => void (await send("submit", { view, values })),
    close: async (view) => void (await send("close", { view })),
    command: (channel, line) => send("command", { channel, line }),
    shortcut: async (callback, place) => void (await send("shortcut", { callback, place })),
    openHome: async () => void (await send("home", {})),
  }
}

async function post({ token, person, complain }: ActOptions, path: string, body: object): Promise<boolean> {
  try {
    const response = await fetch(`/control/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ person, ...body }),
    })
    const { message, ok, reason, detail } = textsOf(await response.json())
    if (message !== "") complain(message)
    // Other failures come as a notice, and a refused form shows what is wrong in the form itself.
    else if (reason === "not_in_threads") complain(detail)
    return ok
  } catch (error) {
    complain(`The sandbox could not be reached: ${error instanceof Error ? error.message : String(error)}`)
    return false
  }
}

function textsOf(answer: unknown) {
  const fields: Readonly<Record<string, unknown>> =
    typeof answer === "object" && answer !== null ? Object.fromEntries(Object.entries(answer)) : {}
  const text = (value: unknown) => (typeof value === "string" ? value : "")
  return {
    ok: fields["ok"] === true,
    message: text(fields["message"]),
    reason: text(fields["reason"]),
    detail: text(fields["detail"]),
  }
}
