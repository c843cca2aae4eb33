// What the project cites of itself: rules, sections and traps of its documents, files and headings; and which of them
// are not there.
import { posix } from "node:path"

/**
 * One citation: where it stands, what it names (as in `trap 3 of docs/platform-facts.md`), and whether that is there.
 */
export type Citation = { readonly at: string; readonly cites: string; readonly there: boolean }

type Found = { readonly offset: number; readonly cites: string; readonly there: boolean }

/**
 * A file as people read it, each view as long as the file: its comments (all of a page in Markdown), and its texts in
 * quotes.
 */
type Prose = { readonly path: string; readonly comments: string; readonly texts: string }

const specification = "docs/specification.md"
const platform = "docs/platform-facts.md"
const slack = "docs/slack-facts.md"
const architecture = "ARCHITECTURE.md"

/** Where a section that is cited without its document stands. */
const homes: Readonly<Record<string, string>> = {
  "src/auth/": specification,
  "src/service/": specification,
  "src/service.ts": specification,
  "test/auth/": specification,
  "test/service/": specification,
  "test/cli/service.test.ts": specification,
  "test/cli/service/token.test.ts": specification,
  "docs/service.md": specification,
  [architecture]: architecture,
  [specification]: specification,
  [platform]: platform,
  [slack]: slack,
}

/** Folders that begin a path from the root, and what is made by a program. */
const tops = /^(?:src|test|bench|docs|\.ci)\//
const made = /^(?:dist|coverage|node_modules|\.cache|\.countersign)\/|^(?:main|countersign)\.mjs$/

const NUMBER = String.raw`\d{1,2}(?:\.\d{1,2}){0,2}(?!\d|\.\d)`
const COUNT = String.raw`\d{1,2}(?![\d.]\d)`
const LINK = String.raw`(?:,\s+and\s+|,\s+|\s+and\s+|\s+to\s+)`
const COUNTS = `(${COUNT}(?:${LINK}${COUNT})*)`
/** `5.2`, `4.1 to 4.3`, `5.2, rules 3 and 4`: what a citation of a section ends in. */
const SECTIONS = String.raw`(${NUMBER}(?:${LINK}${NUMBER})*)(?:,\s+rules?\s+${COUNTS})?`
const DOTTED = String.raw`(?=\d\.\d)${SECTIONS}`

const named = new RegExp(
  String.raw`\b(specification|platform.facts|slack.facts)(?:\.md\`?)?(?:'s)?,?\s+(?:sections?\s+)?${SECTIONS}`,
  "gi",
)
/** Sections without their document: in brackets, after a word that leads to one, or at the beginning. */
const unnamed = [
  String.raw`\((?:see\s+)?${SECTIONS}(?=[),;:])`,
  String.raw`(?<!\d,\s+)\bsections?\s+${SECTIONS}`,
  String.raw`\b(?:of|in|for|see|by)\s+${DOTTED}`,
  String.raw`(?:^|:)[ \t]+${DOTTED}(?=\)|[.:,;]\s|\s*$)`,
].map((pattern) => new RegExp(pattern, "gim"))
/**
 * In texts: the beginning of a title, brackets in it, and a section beside its route as in `test/auth/spec-rows.ts`.
 */
const inTitles = [
  String.raw`"${SECTIONS}(?=:\s)`,
  String.raw`\(${DOTTED}(?=[),;:])`,
  String.raw`"${DOTTED}(?=" +"(?:GET|POST|PATCH|DELETE) )`,
].map((pattern) => new RegExp(pattern, "g"))

const PART = String.raw`(?:[\w.*-]|\{[\w.,*-]+\})+`
const START = String.raw`(?<![\w@:./*$~{}-])`
const codePath = String.raw`(?:\.{1,2}/)*(?:${PART}/)*${PART}\.(?:tsx?|mjs|md)\b`
const rootedPath = String.raw`(?:\.{1,2}/)*(?:src|test|bench|docs|\.ci)/(?:${PART}/)*(?:${PART})?(?<=[\w*}/])`
const pathInProse = new RegExp(`${START}(?:${codePath}|${rootedPath})(?:#[\\w-]+)?`, "g")
const pageInText = new RegExp(`${START}docs/[\\w./-]+\\.md(?:#[\\w-]+)?`, "g")
const folder = /`((?:[\w.-]+\/)+)`/g
const link = /\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)="([^"]+)"/g
const sample = /\[(`[\w./-]+`(?:, `[\w./-]+`)*)\](?!\()/g

/**
 * Every citation that names what is not there, one line each, worded for whoever has to mend it. Keys are paths from
 * the root.
 */
export function breaches(files: ReadonlyMap<string, string>): readonly string[] {
  const dangling = citations(files).filter(({ there }) => !there)
  return [...new Set(dangling.map(({ at, cites }) => `${at}: cites ${cites}, which is not there`))]
}

/** Every citation among the files, file by file. What is only cited and never read (a picture) has an empty text. */
export function citations(files: ReadonlyMap<string, string>): readonly Citation[] {
  const places = placesOf(files)
  const read = [...files].filter(([, text]) => text !== "")
  return read.flatMap(([path, text]) => {
    const prose = proseOf(path, text)
    const found = [...numbered(prose, places), ...linked(prose, places), ...pathed(prose, places)]
    return found.map(({ offset, ...rest }) => ({ at: `${path}:${text.slice(0, offset).split("\n").length}`, ...rest }))
  })
}

/** What there is to cite. */
type Places = {
  readonly rules: ReadonlySet<string>
  readonly sections: ReadonlyMap<string, ReadonlySet<string>>
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>
  /** Files and folders. */
  readonly paths: ReadonlySet<string>
  /** The ends of these paths: what `slack/card.ts` and `card.ts` may stand for. */
  readonly ends: ReadonlySet<string>
}

function placesOf(files: ReadonlyMap<string, string>): Places {
  const textOf = (path: string): string => files.get(path) ?? ""
  const pages = [...files].filter(([path]) => path.endsWith(".md"))
  const folders = [...files.keys()].flatMap((path) => path.split("/").map((_, end, all) => all.slice(0, end).join("/")))
  const paths = new Set([...files.keys(), ...folders])
  const ends = [...paths].flatMap((path) => path.split("/").map((_, start, all) => all.slice(start).join("/")))
  return {
    rules: rulesOf(textOf(architecture)),
    sections: new Map([architecture, specification, platform, slack].map((path) => [path, sectionsOf(textOf(path))])),
    rows: new Map(["trap", "probe"].map((head) => [head, rowsOf(textOf(platform), head)])),
    anchors: new Map(pages.map(([path, text]) => [path, anchorsOf(text)])),
    paths,
    ends: new Set(ends),
  }
}

/** The rules of the page: each begins a heading, an item or a row, or is the first bold word of a line. */
function rulesOf(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/^(?:(?:#+|[-*]|\d+\.|\|) *(?:\*\*)?|\*\*)(R\d{1,2})\b/gm)].map(([, rule = ""]) => rule),
  )
}

/** `5`, `5.8`, and `5.8.3` for the third item of its numbered list. */
function sectionsOf(text: string): ReadonlySet<string> {
  let section = ""
  return new Set(
    [...text.matchAll(/^(?:#+ (\d+(?:\.\d+)*)\.? |#+ |(\d+)\. )/gm)].map(([whole, heading, item]) => {
      if (whole.startsWith("#")) section = heading ?? ""
      return item === undefined ? section : `${section}.${item}`
    }),
  )
}

/** The numbers in the first column of all tables whose first head is `head`. */
function rowsOf(text: string, head: string): ReadonlySet<string> {
  const tables = text.matchAll(new RegExp(String.raw`^\| ${head} \|.*\n((?:\|.*\n?)+)`, "gm"))
  const rows = [...tables].flatMap(([, table = ""]) => [...table.matchAll(/^\| (\d+) \|/gm)])
  return new Set(rows.map(([, row = ""]) => row))
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const headings = withoutFences(text).matchAll(/^#{1,6} +(.+)$/gm)
  return new Set(
    [...headings].map(([, heading = ""]) => {
      const words = heading.trim().replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      const slug = words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .replaceAll(/\s/g, "-")
      const times = seen.get(slug) ?? 0
      seen.set(slug, times + 1)
      return times === 0 ? slug : `${slug}-${times}`
    }),
  )
}

function proseOf(path: string, text: string): Prose {
  if (path.endsWith(".md")) return { path, comments: text, texts: blank(text) }
  const comment = /\.(?:[cm]?[jt]sx?|css)$/.test(path) ? /(?<=^|[\s({])(?:\/\/.*|\/\*[^]*?\*\/)/gm : /(?<=^|\s)#.*/gm
  const leader = /^[ \t]*(?:\/\/|\/\*\*?|\*\/|\*|#)|\*\/$/gm
  const comments = kept(text, comment).replaceAll(leader, blank)
  const code = text.replaceAll(comment, blank)
  return { path, comments, texts: kept(code, /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g) }
}

/** The text with everything blank but what the pattern finds. */
function kept(text: string, pattern: RegExp): string {
  let end = 0
  const pieces = [...text.matchAll(pattern)].flatMap((match) => {
    const before = blank(text.slice(end, match.index))
    end = match.index + match[0].length
    return [before, match[0]]
  })
  return pieces.join("") + blank(text.slice(end))
}

function blank(text: string): string {
  const lines = text.split("\n").map(({ length }) => " ".repeat(length))
  return lines.join("\n")
}

function withoutFences(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```/gm, blank)
}

/** Rules, sections, traps and probes. */
function numbered({ path, comments, texts }: Prose, places: Places): readonly Found[] {
  const home = Object.entries(homes).find(([prefix]) => path.startsWith(prefix))?.[1]
  return [comments, texts].flatMap((view) => [
    ...[...view.matchAll(/\bR\d{1,2}\b/g)].map(({ 0: rule, index }) => {
      return { offset: index, cites: `rule ${rule} of ${architecture}`, there: places.rules.has(rule) }
    }),
    ...[...view.matchAll(new RegExp(String.raw`\b(trap|probe)s?\s+${COUNTS}`, "g"))].flatMap((match) => {
      const [, head = "", counts = ""] = match
      const there = (count: string) => places.rows.get(head)?.has(count) ?? false
      return counts.split(/\D+/).map((count) => {
        return { offset: match.index, cites: `${head} ${count} of ${platform}`, there: there(count) }
      })
    }),
    ...[...view.matchAll(named)].flatMap(({ index, 1: name = "", 2: sections, 3: rules }) =>
      sectionsFound(places, `docs/${name.toLowerCase().replace(" ", "-")}.md`, { index, sections, rules }),
    ),
    ...(home === undefined ? [] : view === comments ? unnamed : inTitles).flatMap((pattern) =>
      [...view.matchAll(pattern)].flatMap(({ index, 1: sections, 2: rules }) =>
        sectionsFound(places, home ?? specification, { index, sections, rules }),
      ),
    ),
  ])
}

type CitedSections = {
  readonly index: number
  readonly sections: string | undefined
  readonly rules: string | undefined
}

function sectionsFound(places: Places, document: string, { index, sections = "", rules }: CitedSections) {
  const cited = sections.split(new RegExp(LINK))
  const items = rules === undefined ? [] : rules.split(/\D+/).map((rule) => `${cited.at(-1)}.${rule}`)
  // Three numbers are an item in the specification only; beside AgentOS and Slack they are a version.
  const meant = cited.filter((section) => document === specification || section.split(".").length < 3)
  return [...meant, ...items].map((section) => {
    const there = places.sections.get(document)?.has(section) ?? false
    return { offset: index, cites: `section ${section} of ${document}`, there }
  })
}

/** Links of a page, and its recorded samples, which stand in square brackets. */
function linked({ path, comments }: Prose, places: Places): readonly Found[] {
  if (!path.endsWith(".md")) return []
  const page = withoutFences(comments)
  const links = [...page.replaceAll(/`[^`\n]*`/g, blank).matchAll(link)]
  const samples = path === platform ? [...page.matchAll(sample)] : []
  return [
    ...links
      .map(({ index, 1: inMarkdown, 2: inHtml }) => ({ index, target: inMarkdown ?? inHtml ?? "" }))
      .filter(({ target }) => !/^[a-z]+:/.test(target))
      .flatMap(({ index, target }) => placed(target, { from: path, offset: index, places, exact: true })),
    ...samples.flatMap(({ index, 1: names = "" }) =>
      names.split(", ").map((name) => {
        const file = `test/fixtures/agentos/${name.replaceAll("`", "")}.json`
        return { offset: index, cites: file, there: places.paths.has(file) }
      }),
    ),
  ]
}

/** Paths in the words of comments and pages, and pages of `docs` in texts. */
function pathed({ path, comments, texts }: Prose, places: Places): readonly Found[] {
  const words = path.endsWith(".md") ? comments.replaceAll(link, blank) : comments
  const found = [
    ...words.matchAll(pathInProse),
    ...texts.matchAll(pageInText),
    ...[...words.matchAll(folder)].map(({ index, 1: name = "" }) => ({ index, 0: name })),
  ]
  return found
    .filter(({ 0: target }) => !made.test(target))
    .flatMap(({ 0: target, index }) => placed(target, { from: path, offset: index, places, exact: false }))
}

type Reference = {
  readonly from: string
  readonly offset: number
  readonly places: Places
  /** Read as a link is, from the page's folder; else from the root or as the end of a path, too. */
  readonly exact: boolean
}

function placed(target: string, { from, offset, places, exact }: Reference): readonly Found[] {
  const [file = "", anchor] = target.replace(/\/(?=#|$)/, "").split("#")
  const beside = file === "" ? from : posix.join(posix.dirname(from), file)
  if (!exact && /[*{]/.test(file)) return [{ offset, cites: file, there: matches(file, places) }]
  const path = exact || places.paths.has(beside) ? beside : file
  const there = places.paths.has(path) || (!exact && !tops.test(file) && places.ends.has(file))
  if (!there || anchor === undefined) return [{ offset, cites: exact ? beside : file, there }]
  return [{ offset, cites: `heading #${anchor} of ${path}`, there: places.anchors.get(path)?.has(anchor) ?? false }]
}

/** Whether any path, or the end of one, fits `*` and `{a,b}` in it. */
function matches(glob: string, { paths, ends }: Places): boolean {
  return [...(tops.test(glob) ? paths : ends)].some((path) => posix.matchesGlob(path, glob))
}
