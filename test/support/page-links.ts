// Finds where the pages of a folder lead: the relative links of each page, as paths from the folder.
import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A page, and the file or folder that it links to. */
export interface PageLink {
  readonly page: string
  readonly to: string
}

const link = /\]\(([^)\s#]+)[^)\s]*\)|<(?:img|a)\b[^>]*?\b(?:src|href)="([^"#]+)[^"]*"/g

/** The relative links of these pages (paths or patterns) of a folder. */
export function pageLinks(folder: string, patterns: readonly string[]): readonly PageLink[] {
  const files = globSync(patterns, { cwd: folder, exclude: (name) => /node_modules/.test(name) })
  const pages = files.filter((file) => /\.(?:md|txt)$/.test(file))
  return pages.flatMap((page) =>
    [...readFileSync(join(folder, page), "utf8").matchAll(link)]
      .map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? "")
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => ({ page, to: join(dirname(page), target) })),
  )
}
