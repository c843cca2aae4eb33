// A whole demo (platform, Redis, bot, sandbox) with a browser in front of it, and what people do there.
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core"
import { onTestFinished } from "vitest"
import { type DemoStage, openStage } from "../../src/cli/demo/stage.ts"
import { sandboxCast } from "../../src/sandbox/workspace/seed.ts"
import { limitMs } from "../support/limits.ts"

export { limitMs, sandboxCast }

export const DESKTOP = { width: 1280, height: 800 }
export const PHONE = { width: 390, height: 844 }

/** A demo and a browser. */
export interface Theatre {
  readonly stage: DemoStage
  readonly browser: Browser
  /** What the demo's terminal was told besides what it shows: warnings and alarms of bot and platform. */
  readonly warnings: readonly string[]
}

/** Takes what has to be closed at the end. Default where it is asked for: one test has it. */
type AtEnd = (close: () => Promise<void>) => void

/** Opens a browser, the one that `CHROMIUM` names. */
export async function openBrowser(atEnd: AtEnd = onTestFinished): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"]
  if (executablePath === undefined) throw new Error("CHROMIUM is not set: start these tests by npm run test:browser")
  const browser = await chromium.launch({ executablePath })
  atEnd(() => browser.close())
  return browser
}

/** Opens a demo and a browser. */
export async function openTheatre(atEnd: AtEnd = onTestFinished): Promise<Theatre> {
  const warnings: string[] = []
  // The try of other rules makes another config the active one than the file that the bot began with.
  const warn = (line: string) => void (line.includes("config-taken-over") || warnings.push(line))
  const terminal = { out: () => undefined, err: warn }
  const stage = await openStage({ terminal, port: 0 })
  atEnd(() => stage.close())
  return { stage, browser: await openBrowser(atEnd), warnings }
}

/** Somebody's window: the page, and everything that went wrong in it. */
export interface Window {
  readonly page: Page
  readonly troubles: readonly string[]
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Opens the workspace as somebody, in a channel. */
export function openWindow(
  theatre: Theatre,
  as: { readonly person: string; readonly at?: string; readonly size?: Size },
): Promise<Window> {
  return openAt(theatre, `&as=${as.person}&at=${as.at ?? sandboxCast.approvals}`, as.size)
}

/** Opens the page at the address that the demo prints. */
export function openFirst(theatre: Theatre, size?: Size): Promise<Window> {
  return openAt(theatre, "", size)
}

async function openAt({ stage, browser }: Theatre, query: string, viewport: Size = DESKTOP): Promise<Window> {
  const context = await browser.newContext({ viewport, timezoneId: "UTC", locale: "en-GB" })
  const troubles = watch(context, stage.sandbox.url)
  const page = await context.newPage()
  page.setDefaultTimeout(limitMs)
  await page.goto(stage.sandbox.pageUrl + query)
  await page.locator("nav").waitFor({ state: "attached" })
  return { page, troubles }
}

/** Makes the window somebody else's. */
export async function become(page: Page, person: string): Promise<void> {
  const switcher = page.getByLabel("You are")
  await switcher.selectOption(person)
  await page.locator(`[data-person="${person}"]`).waitFor()
}

/** Requests to anywhere else, errors of scripts, and what the content policy refused. */
function watch(context: BrowserContext, own: string): readonly string[] {
  const troubles: string[] = []
  context.on("request", (request) => {
    if (!request.url().startsWith(own)) troubles.push(`a request to ${request.url()}`)
  })
  context.on("weberror", (failure) => troubles.push(failure.error().message))
  context.on("console", (line) => {
    if (line.type() === "error" || line.type() === "warning") troubles.push(line.text())
  })
  return troubles
}

/** An approval as a program asks for it; gives back its id. */
export async function ask({ stage }: Theatre, call: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const asked = { tool_name: "delete_user_data", tool_args: { user_id: "U-100" }, agent_id: "ops-agent", ...call }
  const row = await operate(stage, "POST /approvals", asked)
  return String(row["id"])
}

/** The platform's record. */
export function record({ stage }: Theatre, id: string): Promise<Readonly<Record<string, unknown>>> {
  return operate(stage, `GET /approvals/${id}`)
}

/** A record of the platform, as the tests read it. */
export interface PlatformRecord
  extends Readonly<Record<"id" | "run_id" | "session_id" | "tool_name" | "status" | "run_status", string>> {
  readonly agent_id: string | null
  readonly tool_args: Readonly<Record<string, unknown>>
}

/** All of the platform's records, newest first. */
export async function records({ stage }: Theatre): Promise<readonly PlatformRecord[]> {
  const { data } = await operate(stage, "GET /approvals?limit=100")
  return data as readonly PlatformRecord[]
}

/** Somebody decides without Countersign. */
export async function decideElsewhere({ stage }: Theatre, id: string): Promise<void> {
  await operate(stage, `POST /approvals/${id}/resolve`, { status: "approved", resolved_by: "root@elsewhere.example" })
}

const tokens = new WeakMap<DemoStage, string>()

async function operate(stage: DemoStage, request: string, json?: unknown): Promise<Readonly<Record<string, unknown>>> {
  const [method = "", path = ""] = request.split(" ")
  const token = tokens.get(stage) ?? stage.mint("program", ["approvals:create", "approvals:read", "approvals:write"])
  tokens.set(stage, token)
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const answer = await fetch(stage.serviceUrl + path, { method, headers, ...body })
  if (!answer.ok) throw new Error(`${request} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Readonly<Record<string, unknown>>
}

/** Goes to the list of tries. */
export async function showTries(page: Page): Promise<Locator> {
  const list = page.getByRole("main", { name: "Start here" })
  if (!(await list.isVisible())) await button(page.getByRole("region", { name: "Try" }), "All tries").click()
  return list
}

/** Presses a button of the list of tries and gives back the card to which it led. */
export async function tryOut(page: Page, label: string): Promise<Locator> {
  const list = await showTries(page)
  await list.getByRole("button", { name: new RegExp(`^${label}`) }).click()
  await page.getByRole("main", { name: "Start here" }).waitFor({ state: "detached" })
  const led = page.locator("article.led")
  await led.waitFor()
  return led
}

/** The newest message in front that holds these words. */
export function card(page: Page, words: string): Locator {
  return page.getByRole("log").getByRole("article").filter({ hasText: words }).last()
}

/** A button by the words on it; what is read out may go on with what it is about. */
export function button(on: Locator, words: string): Locator {
  return on.getByRole("button", { name: new RegExp(`^${words}(: |$)`) })
}

/** Presses a button. */
export async function press(on: Locator, words: string): Promise<void> {
  await button(on, words).click()
}

/** Waits until the words stand there. */
export async function says(place: Locator, words: string | RegExp): Promise<void> {
  await place.getByText(words).first().waitFor()
}

/** Calls a method of Slack's Web API as the app. */
export async function api({ stage }: Theatre, method: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  const form = Object.entries(body).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ])
  const answer = await fetch(stage.sandbox.apiUrl + method, {
    method: "POST",
    headers: { authorization: `Bearer ${stage.sandbox.tokens.bot}` },
    body: new URLSearchParams(Object.fromEntries(form) as Record<string, string>),
  })
  const { ok, ...rest } = (await answer.json()) as { ok: boolean }
  if (!ok) throw new Error(`${method}: ${JSON.stringify(rest)}`)
}
