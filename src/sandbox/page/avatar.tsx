// The picture of somebody: their first letter on a colour of their own, for the app its sign.
import { useDesk } from "./page-context.ts"

const COLOURS = 6

/** A decoration: the name always stands beside it. */
export function Avatar({ id, name }: { readonly id: string; readonly name: string }) {
  const { seen } = useDesk()
  const colour = id.split("").reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLOURS
  const isApp = id === seen.app.botUserId
  return (
    <span className={isApp ? "avatar app" : `avatar colour${colour}`} aria-hidden="true">
      {isApp ? "✓" : name.charAt(0)}
    </span>
  )
}
