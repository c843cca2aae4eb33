// The switches below the list of places: who you are, and light or dark. This browser keeps the choice of colours.
import { useEffect, useState } from "react"
import { nameOf, usePage } from "./state/page-context.ts"

/** The switch that makes you another person. */
export function PersonSwitch({ become }: { readonly become: (personId: string) => void }) {
  const { seen } = usePage()
  const people = seen.people.filter((person) => !person.isBot && !person.deleted)
  return (
    <label className="small text-body-secondary">
      You are
      <select
        className="form-control mt-1"
        data-bs-theme="light"
        value={seen.me.id}
        onChange={(event) => become(event.target.value)}
      >
        {people.map(({ id, title }) => (
          <option key={id} value={id}>
            {nameOf(seen, id)}
            {title === "" ? "" : ` · ${title}`}
          </option>
        ))}
      </select>
    </label>
  )
}

type Theme = "system" | "light" | "dark"

/** What can be chosen, with its words. */
const themes: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
]

const keptAs = "sandbox-theme"
const prefersDark = "(prefers-color-scheme: dark)"

/** The switch for light or dark. */
export function ThemeSwitch() {
  const [theme, choose] = useTheme()
  return (
    <label className="small text-body-secondary">
      Colours
      <select
        className="form-control mt-1"
        data-bs-theme="light"
        value={theme}
        onChange={(event) => choose(themeOf(event.target.value))}
      >
        {themes.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The chosen theme, and how to change it. The whole page follows the choice, and changes of the system's theme. */
function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(keptTheme)
  useEffect(() => {
    const system = matchMedia(prefersDark)
    const draw = () => {
      const dark = theme === "dark" || (theme === "system" && system.matches)
      document.documentElement.dataset["bsTheme"] = dark ? "dark" : "light"
    }
    draw()
    system.addEventListener("change", draw)
    return () => system.removeEventListener("change", draw)
  }, [theme])
  const choose = (chosen: Theme) => {
    localStorage.setItem(keptAs, chosen)
    setTheme(chosen)
  }
  return [theme, choose]
}

/** Reads a theme; an unknown word means the system's. */
function themeOf(word: string | null): Theme {
  return themes.find(([theme]) => theme === word)?.[0] ?? "system"
}

function keptTheme(): Theme {
  return themeOf(localStorage.getItem(keptAs))
}
