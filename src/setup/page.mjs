// Loads the sandbox's page for browsers: bundles its sources, or reads what `npm run build` made of them.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {{ readonly script: string, readonly style: string }} PageFiles */

/** The folder beside this file where the package keeps the page. */
export const pageFolder = "page"
export const scriptFile = "page.js"
export const styleFile = "page.css"

const here = dirname(fileURLToPath(import.meta.url))

/**
 * Makes a function that returns the page, the same at every call. In the installed program it reads two files. In
 * development it bundles the sources at the first call, which takes about 0.3 s. It rejects with esbuild's message if a
 * source is wrong.
 * @returns {() => Promise<PageFiles>}
 */
export function pageLoader() {
  /** @type {Promise<PageFiles> | undefined} */
  let page
  return () => (page ??= loadPage())
}

/** @returns {Promise<PageFiles>} */
async function loadPage() {
  const built = join(here, pageFolder)
  if (!existsSync(join(built, scriptFile))) return bundlePage(dirname(dirname(here)))
  const [script = "", style = ""] = [scriptFile, styleFile].map((name) => readFileSync(join(built, name), "utf8"))
  return { script, style }
}

/**
 * Bundles `src/sandbox/page` of the project at `root`. `metafile` is esbuild's report about the bundle.
 * @param {string} root
 * @returns {Promise<PageFiles & { readonly metafile: import("esbuild").Metafile }>}
 */
export async function bundlePage(root) {
  const { build, stop } = await import("esbuild")
  try {
    const { outputFiles, metafile } = await build({ ...options, absWorkingDir: root, write: false })
    /** @param {string} ending */
    const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ""
    return { script: text(".js"), style: text(".css"), metafile }
  } finally {
    await stop()
  }
}

/** @satisfies {import("esbuild").BuildOptions} */
const options = {
  entryPoints: ["src/sandbox/page/main.tsx"],
  outdir: "page",
  bundle: true,
  metafile: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  legalComments: "inline",
  logLevel: "silent",
}
