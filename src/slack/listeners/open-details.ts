// Opens Details by button, command or message shortcut, turns its pages, and shows the cases of a summary in review.
import type { Place } from "../../domain/case/case.ts"
import { personKey, type SlackId } from "../../domain/people/person.ts"
import type { Details } from "../../flow/ports/inbound.ts"
import type { ReplyTo } from "../../flow/ports/interaction.ts"
import type { Answer } from "../../flow/ports/reply.ts"
import type { OpenedView, PageSize } from "../../flow/ports.ts"
import { caseOf } from "../chat/metadata.ts"
import { reviewedLine } from "../text/list-words.ts"
import { isTooLarge } from "../transport/errors.ts"
import {
  type ReviewPoint,
  readNote,
  readReviewPoint,
  readTarget,
  targetOf,
  type ViewNote,
} from "../views/button-values.ts"
import { type Anew, answerView, detailsView, toldView } from "../views/details.ts"
import {
  acknowledge,
  failureAnswer,
  type Listener,
  type ListenerContext,
  onClick,
  openModal,
  type Rest,
  refuseForeign,
  replyInView,
  replyToOf,
  tell,
} from "./listener-context.ts"
import { type Click, readShortcut } from "./payloads.ts"

/** Details or Review was pressed. */
export const onDetails = onClick((context, click) => {
  const target = readTarget(click.value)
  const { person, triggerId, place, view: within } = click
  const replyTo = replyToOf(click)
  if (target === null) return refuseForeign(context, click)
  const find = () => context.inbound.details(target.caseId, person, target.route === "" ? null : target.route)
  const about = { caseId: target.caseId, pressed: place }
  if (within === null) return () => openDetails(context, { person, triggerId, place, replyTo, find, about })
  return () => fill(context, firstPage(within.id, person, readNote(within.note)?.place ?? null), find)
})

/** A page of Details was asked for. */
export const onPage = onClick((context, click) =>
  inDetails(context, click, "details-failed", ({ note, filling }) =>
    fill(context, { ...filling, page: Number(click.value) || 1 }, () => findAgain(context, click, note)),
  ),
)

/** Somebody pressed "Reveal Masked Values". First the ledger says so; then the view shows them from its first page. */
export const onReveal = onClick((context, click) =>
  inDetails(context, click, "reveal-failed", async ({ note, filling }) => {
    const revealed = await context.inbound.reveal(filling.viewId, click.person)
    await fill(context, { ...filling, seen: 0, revealed }, () => findAgain(context, click, note))
  }),
)

/** A click in Details that we opened; after any other click its person is told. */
interface InDetails {
  readonly note: ViewNote
  /** The first page, with what the person saw of Details so far. */
  readonly filling: Filling
}

/** Acts on a click in Details. A failure is logged under `event`, and the person is told. */
function inDetails(
  context: ListenerContext,
  click: Click,
  event: "details-failed" | "reveal-failed",
  act: (within: InDetails) => Promise<void>,
): Rest {
  const { view, person } = click
  const note = readNote(view?.note)
  if (note === null || view === null) return refuseForeign(context, click)
  return async () => {
    try {
      const first = firstPage(view.id, person, note.place)
      await act({ note, filling: { ...first, ...seenIn(await context.inbound.view(view.id), note, person) } })
    } catch (error) {
      context.log.warn(event, { caseId: note.target.caseId, error })
      await tell(context, replyInView(view.id, person), failureAnswer(error))
    }
  }
}

/** What the person saw in this view, by our own record: what Slack sends back of a view is only a copy. */
function seenIn(found: OpenedView | null, { target, walk }: ViewNote, person: SlackId): Partial<Filling> {
  if (found?.caseId !== target.caseId || personKey(found.person) !== personKey(person)) return {}
  const { pagesOpened, pageSize, revealed, digest: shown, reviewed } = found
  return { seen: pagesOpened ?? 0, pageSize, revealed, shown, ...(reviewed && walk && { walk }) }
}

function findAgain(context: ListenerContext, click: Click, { target }: ViewNote): Promise<Details | null> {
  return context.inbound.details(target.caseId, click.person, target.route === "" ? null : target.route)
}

/** The shortcut "Show approval": Details of a message's case, where people cannot type a command (threads). */
export const onShortcut: Listener = async (context, body, ack) => {
  const { person, triggerId, responseUrl, channel, message, place: pressed } = readShortcut(body, context.identity)
  await acknowledge(context, ack)
  const caseId = caseOf(message)
  const replyTo: ReplyTo = { kind: "response", responseUrl, channel, user: person.user }
  const find = async () => (caseId === null ? null : context.inbound.details(caseId, person, null))
  const about = caseId === null ? {} : { about: { caseId, pressed } }
  return () => openDetails(context, { person, triggerId, place: null, replyTo, find, ...about })
}

/** Opens Details with what `find` finds. */
export function openDetails(
  context: ListenerContext,
  options: {
    readonly person: SlackId
    readonly triggerId: string
    readonly place: Place | null
    readonly replyTo: ReplyTo | null
    readonly find: () => Promise<Details | null>
    readonly about?: About
  },
): Promise<void> {
  const { person, place, find, about } = options
  return openModal(context, { ...options, event: "details-failed" }, (viewId) =>
    fill(context, firstPage(viewId, person, place), find, about),
  )
}

/** The case that a message is about. If the person may not see Details, they are told why. */
interface About {
  readonly caseId: string
  readonly pressed: Place | null
}

/** Somebody pressed "Review One by One" on a summary: we show each of its cases whole, and each gets its own vote. */
export const onReview = onClick((context, click) => {
  const point = readReviewPoint(click.value)
  const replyTo = replyToOf(click)
  if (point === null) return refuseForeign(context, click)
  const { triggerId, person } = click
  return () =>
    openModal(context, { triggerId, replyTo, event: "review-failed" }, (viewId) =>
      reviewNext(context, viewId, person, point),
    )
})

/** "Next Case" was pressed, in the modal. */
export const onNext = onClick((context, click) => {
  const { view, person } = click
  const point = readReviewPoint(click.value)
  return view === null || point === null
    ? refuseForeign(context, click)
    : () => reviewNext(context, view.id, person, point)
})

async function reviewNext(
  context: ListenerContext,
  viewId: string,
  person: SlackId,
  point: ReviewPoint,
): Promise<void> {
  const { route, at } = point
  try {
    const found = await context.inbound.review(route, person, at)
    if (found === null) {
      return await context.views.show(viewId, toldView(reviewedLine(at !== null)))
    }
    const { details, left } = found
    await fill(context, { ...firstPage(viewId, person, null), walk: { route, left } }, async () => details)
  } catch (error) {
    context.log.warn("review-failed", { error })
    await tell(context, replyInView(viewId, person), failureAnswer(error))
  }
}

/** What fills a view with a case. */
interface Filling {
  readonly viewId: string
  readonly person: SlackId
  readonly place: Place | null
  readonly page: number
  /** How many pages were opened before, from the first, and their size: as the sealed view says. */
  readonly seen: number
  readonly pageSize: PageSize
  /** The digest (its beginning) that these pages showed. */
  readonly shown: string | null
  /** True once the masks of this content were opened for the person. */
  readonly revealed: boolean
  readonly walk?: ViewNote["walk"]
}

function firstPage(viewId: string, person: SlackId, place: Place | null): Filling {
  return { viewId, person, place, page: 1, seen: 0, pageSize: "large", shown: null, revealed: false }
}

/** Remembers the view for its person and shows the page (R18). After new content no earlier page is seen (R4). */
async function fill(
  context: ListenerContext,
  filling: Filling,
  find: () => Promise<Details | null>,
  about?: About,
): Promise<void> {
  const { viewId, person } = filling
  try {
    const details = await find()
    if (details === null) return await context.views.show(viewId, answerView(await notShown(context, person, about)))
    const same = filling.shown === targetOf(details.model).digest
    const anew = filling.shown === null || same ? null : "changed"
    const page = same ? filling : { ...filling, page: 1, seen: 0, revealed: false }
    await showPage(context, { ...page, details, anew })
  } catch (error) {
    context.log.warn("details-failed", { error })
    await tell(context, replyInView(viewId, person), failureAnswer(error))
  }
}

/** What is shown of a case, and why earlier pages no longer count. */
interface Page extends Filling {
  readonly details: Details
  readonly anew: Anew | null
}

/** Shows a page. If Slack finds it too large, the smaller pages begin; the person has opened none of those yet (R4). */
async function showPage(context: ListenerContext, page: Page): Promise<void> {
  try {
    await rememberAndShow(context, page)
  } catch (error) {
    if (page.pageSize === "small" || !isTooLarge(error)) throw error
    context.log.warn("details-drawn-smaller", { caseId: page.details.model.caseId, error })
    const anew = page.anew ?? (page.seen > 0 ? "smaller" : null)
    await rememberAndShow(context, { ...page, page: 1, seen: 0, pageSize: "small", anew })
  }
}

async function rememberAndShow(context: ListenerContext, shown: Page): Promise<void> {
  const { viewId, person, place, page, seen, pageSize, revealed, details } = shown
  const { caseId, route, revision, digest } = targetOf(details.model)
  const pagesOpened = Math.max(seen, Math.min(page, seen + 1))
  const reviewed = shown.walk !== undefined
  const opened = { viewId, person, caseId, route, revision, digest, place, reviewed, revealed, pagesOpened, pageSize }
  await context.inbound.opened({ ...opened, purpose: "details", verb: null })
  await context.views.show(viewId, detailsView(shown))
}

async function notShown({ inbound }: ListenerContext, person: SlackId, about: About | undefined): Promise<Answer> {
  if (about === undefined) return { kind: "unknown-case" }
  return inbound.notShown(about.caseId, person, about.pressed)
}
