// The state of a view's inputs. What was typed stays while the view is the same, also when the app updates it.
import { useState } from "react"
import { elementsOf } from "../../../blockkit/elements-of.ts"
import type { Choices } from "../../user-actions/values.ts"
import type { OpenView } from "../../workspace/views.ts"
import { type Form, keyOf } from "./form.ts"

/** The form of the view: without one, an empty form. Changes to inputs that the view no longer has are left out. */
export function useForm(view: OpenView | undefined): Form {
  const [changed, setChanged] = useState<Choices>({})
  const keys = new Set(elementsOf(view?.definition.blocks ?? []).map(({ block, element }) => keyOf(block, element)))
  return {
    changed: Object.fromEntries(Object.entries(changed).filter(([key]) => keys.has(key))),
    change: (key, choice) => setChanged((all) => ({ ...all, [key]: choice })),
    errors: view?.errors ?? {},
  }
}
