// Shows components on the wire: leaves out fields that are null.
import { rowView } from "../collections/collection-handlers.ts"
import { catalog } from "../resources/components.ts"
import { withoutNulls } from "../wire/exact-json.ts"
import type { StoredComponent } from "./stored-components.ts"

/** A component. */
export function componentShown(component: StoredComponent): Readonly<Record<string, unknown>> {
  return withoutNulls(rowView(catalog, component))
}
