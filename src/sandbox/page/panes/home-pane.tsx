// The app's Home tab, as the app published it for this person.
import { Blocks } from "../blocks/blocks.tsx"
import { useForm } from "../forms/use-form.ts"
import { useDesk } from "../page-context.ts"
import { PaneHead } from "../pane-head.tsx"

/** The Home tab, or that there is none. */
export function HomePane({ showPlaces }: { readonly showPlaces: () => void }) {
  const { seen } = useDesk()
  const { home, app } = seen
  const form = useForm(home ?? undefined)
  return (
    <main className="pane" aria-label={`${app.name} Home`}>
      <PaneHead title={app.name} about="Home" showPlaces={showPlaces} />
      <div className="messages home">
        {home && <Blocks blocks={home.definition.blocks} place={home.id} form={form} />}
        {!home && <p className="empty">{app.name} has not published anything here yet.</p>}
      </div>
    </main>
  )
}
