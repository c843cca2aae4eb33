// Bundles the program into dist/, because Node runs no TypeScript below node_modules.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { bundlePage, PAGE_FOLDER, SCRIPT_FILE, STYLE_FILE } from "./page.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const dist = join(root, "dist")

/**
 * Packages that BullMQ imports only when asked for a database or a tracer that we do not use, and the one that bundles the page, which
 * lies here ready.
 */
const NEVER_LOADED = ["pg", "redis", "bullmq-otel", "@valkey/valkey-glide", "esbuild"]

/** Bundled CommonJS packages call `require` for Node's own modules. */
const WITH_REQUIRE =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

rmSync(dist, { recursive: true, force: true })
/** @satisfies {import("esbuild").BuildOptions} */
const common = { absWorkingDir: root, bundle: true, platform: "node", format: "esm", logLevel: "warning" }
await build({
  ...common,
  entryPoints: ["src/cli/main.ts"],
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  // Each command loads the parts that it needs.
  splitting: true,
  chunkNames: "part-[hash]",
  target: "node24",
  external: NEVER_LOADED,
  banner: { js: WITH_REQUIRE },
  legalComments: "linked",
})
await build({
  ...common,
  entryPoints: ["src/setup/bin.mjs"],
  outfile: join(dist, "countersign.mjs"),
  target: "node20",
  banner: { js: "#!/usr/bin/env node" },
})
chmodSync(join(dist, "countersign.mjs"), 0o755)

const page = await bundlePage(root)
mkdirSync(join(dist, PAGE_FOLDER))
writeFileSync(join(dist, PAGE_FOLDER, SCRIPT_FILE), page.script)
writeFileSync(join(dist, PAGE_FOLDER, STYLE_FILE), page.style)
