// Open modals (a stack per person) and published Home tabs.
import { blockLimits } from "../../blockkit/limits.ts"
import type { ViewDefinition } from "../../blockkit/view.ts"
import { type Ids, withIds } from "./ids.ts"

/** A modal or Home tab that a person has in front of them. */
export interface OpenView {
  readonly id: string
  readonly personId: string
  readonly definition: ViewDefinition
  /** Changes with every change of the view. */
  readonly hash: string
  readonly rootId: string
  readonly previousId: string | null
  /** What the app said is wrong with the last submission, by block_id. */
  readonly errors: Readonly<Record<string, string>>
}

/** All open views of all people. */
export type ViewStore = ReturnType<typeof createViews>

/** Makes an empty store that calls `changed` after every change. */
export function createViews(ids: Ids, changed: () => void) {
  const shelf = createShelf(changed)
  /** The person's modals, lowest first. */
  const stack = (personId: string) => shelf.of(personId, "modal")
  const home = (personId: string) => shelf.of(personId, "home")[0]
  const make = (personId: string, definition: ViewDefinition, below?: OpenView, id = ids.id("V")) => {
    const place = { id, personId, rootId: below?.rootId ?? id, previousId: below?.id ?? null }
    return shelf.keep({ ...place, ...fresh(definition, ids) })
  }
  const replace = (id: string, change: Partial<OpenView>) => {
    const before = shelf.find(id)
    return before && shelf.keep({ ...before, ...change })
  }
  return {
    /** Shows a modal in place of all modals that the person had open. */
    open: (personId: string, definition: ViewDefinition): OpenView => {
      shelf.drop(stack(personId))
      return make(personId, definition)
    },
    /** Puts a modal on top. Undefined if three are open already. */
    push: (personId: string, definition: ViewDefinition): OpenView | undefined => {
      const open = stack(personId)
      return open.length < blockLimits.viewStack ? make(personId, definition, open.at(-1)) : undefined
    },
    publish: (personId: string, definition: ViewDefinition) =>
      make(personId, definition, undefined, home(personId)?.id),
    /** Changes a view in place. Undefined if the view is no longer open. */
    update: (id: string, definition: ViewDefinition) => replace(id, fresh(definition, ids)),
    setErrors: (id: string, errors: OpenView["errors"]) => void replace(id, { errors }),
    /** Closes one modal and shows the one below. */
    pop: (id: string) => shelf.drop(shelf.all().filter((view) => view.id === id)),
    /** Closes all modals of the person. */
    clear: (personId: string) => shelf.drop(stack(personId)),
    find: shelf.find,
    byExternalId: (externalId: string) => shelf.all().find((view) => view.definition.external_id === externalId),
    stack,
    home,
  }
}

/** Keeps all open views. Those of one person are in the order in which they were opened. */
function createShelf(changed: () => void) {
  const views = new Map<string, OpenView>()
  const all = () => [...views.values()]
  return {
    all,
    find: (id: string) => views.get(id),
    of: (personId: string, type: ViewDefinition["type"]) =>
      all().filter((view) => view.personId === personId && view.definition.type === type),
    keep: (view: OpenView) => {
      views.set(view.id, view)
      changed()
      return view
    },
    drop: (gone: readonly OpenView[]) => {
      for (const view of gone) views.delete(view.id)
      changed()
    },
  }
}

function fresh(definition: ViewDefinition, ids: Ids): Pick<OpenView, "definition" | "hash" | "errors"> {
  return { definition: withIds(definition, ids), hash: `${ids.ts()}.${ids.id("").slice(0, 8)}`, errors: {} }
}
