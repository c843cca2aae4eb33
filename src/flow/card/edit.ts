// Puts a card model onto its message. If Slack refuses the edit, an open case gets a new message.
import { type CardModel, cardModelHash } from "../../domain/case/card-model.ts"
import { replacingModel } from "../../domain/case/card-steps.ts"
import type { Place } from "../../domain/case/case.ts"
import type { Chat, RefusedEdit } from "../ports.ts"
import type { Work } from "./lease.ts"

/** The model that we are to show. */
export interface CardToDraw {
  readonly model: CardModel
  /** Finds the card that a process posted before it died, if there is one. */
  readonly find: () => Promise<Place | "unseen" | null>
}

interface EditPorts {
  readonly chat: Pick<Chat, "postCard" | "updateCard">
}

/** Posts the card, or edits it. Returns the refusal if its message stays as it is. */
export async function draw(ports: EditPorts, to: CardToDraw, work: Work): Promise<RefusedEdit | null> {
  const { model } = to
  if (work.place === null) {
    work.place = await ports.chat.postCard(model)
    shows(work, model)
    return null
  }
  if (work.modelHash === cardModelHash(model)) return null
  const edited = await ports.chat.updateCard(work.place, model)
  if (edited.kind !== "updated") return replace(ports, to, work, { place: work.place, refused: edited })
  shows(work, model)
  return null
}

function shows(work: Work, model: CardModel): void {
  work.modelHash = cardModelHash(model)
  work.revision = model.revision
}

interface Old {
  readonly place: Place
  readonly refused: RefusedEdit
}

/** Posts a new card. Notes nothing before that, so that we try a failed post again. The new thread gets all lines. */
async function replace(
  ports: EditPorts,
  { model, find }: CardToDraw,
  work: Work,
  old: Old,
): Promise<RefusedEdit | null> {
  const anew = replacingModel(model)
  const found = await successor(ports, { model: anew, find }, old.place)
  if (found === null && !isReplaced(model, work, old.refused)) return old.refused
  work.place = found ?? (await ports.chat.postCard(anew))
  work.reposts += 1
  work.told = 0
  shows(work, anew)
  return null
}

/** The new card that a process posted before it died, if there is one and it can be edited. */
async function successor(ports: EditPorts, { model, find }: CardToDraw, old: Place): Promise<Place | null> {
  const found = await find()
  if (found === null || found === "unseen" || found.ts === old.ts) return null
  return (await ports.chat.updateCard(found, model)).kind === "updated" ? found : null
}

/** We replace a deleted card only once: if people delete it twice, they mean it. */
const maxDeleted = 1
/** If we cannot edit a card, each change replaces it, up to this often, so that no case floods a channel with cards. */
const maxUneditable = 10

/**
 * True while the case asks for something. After that the thread of a message that still exists tells what becomes of
 * the decision, so we need no new message.
 */
function isReplaced({ status }: CardModel, { reposts }: Work, { kind }: RefusedEdit): boolean {
  if (status.kind === "settled") return false
  if (kind === "gone") return reposts < maxDeleted
  return status.kind !== "deciding" && status.kind !== "sending" && reposts < maxUneditable
}

/** The message stays as it is. People reach the case by its thread, by command, Home and shortcut. */
export class EditRefused extends Error {
  readonly code: `card-${RefusedEdit["kind"]}`
  readonly retryable = false
  constructor(caseId: string, { kind, error }: RefusedEdit) {
    super(`case ${caseId}: ${words[kind]} (${error.message})`, { cause: error })
    this.name = "EditRefused"
    this.code = `card-${kind}`
  }
}

const words = {
  gone: "its message was deleted in Slack",
  uneditable: "Slack lets nobody edit its message any more",
  shut: "Slack does not take an edit of its message",
} as const
