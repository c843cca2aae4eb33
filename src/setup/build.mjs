// Makes the package in dist/: the program as a bundle, since Node runs no TypeScript below node_modules, and the rest.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { bundlePage, pageFolder, scriptFile, styleFile } from "./page.mjs"
import { writeSbom } from "./sbom.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const dist = join(root, "dist")

/** The starter, which an older Node can run. */
const commandFile = "countersign.mjs"

/** What stands in the package as it stands here. */
const copied = ["README.md", "LICENSE", "manifest.yml", "countersign.example.yaml"]

/**
 * Packages that BullMQ imports only when asked for a database or a tracer that we do not use, and the one that bundles
 * the page, which lies here ready.
 */
const neverLoaded = ["pg", "redis", "bullmq-otel", "@valkey/valkey-glide", "esbuild"]

/** Bundled CommonJS packages call `require` for Node's own modules. */
const withRequire =
  'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);'

rmSync(dist, { recursive: true, force: true })
/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
  metafile: true,
}
const program = await build({
  ...common,
  entryPoints: ["src/cli/main.ts"],
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  // Each command loads the parts that it needs.
  splitting: true,
  chunkNames: "part-[hash]",
  target: "node24",
  external: neverLoaded,
  banner: { js: withRequire },
  legalComments: "linked",
})
const command = await build({
  ...common,
  entryPoints: ["src/setup/bin.mjs"],
  outfile: join(dist, commandFile),
  target: "node20",
  banner: { js: "#!/usr/bin/env node" },
})
chmodSync(join(dist, commandFile), 0o755)

const page = await bundlePage(root)
mkdirSync(join(dist, pageFolder))
writeFileSync(join(dist, pageFolder, scriptFile), page.script)
writeFileSync(join(dist, pageFolder, styleFile), page.style)

await writeSbom({ root, folder: dist, metafiles: [program.metafile, command.metafile, page.metafile] })
for (const file of copied) copyFileSync(join(root, file), join(dist, file))
writeFileSync(join(dist, "package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`)

/** The package.json of the package: it holds its packages as a bundle, so it depends on a Node alone. */
function packageJson() {
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { name, version, description, license, type, engines, optionalDependencies } = ours
  return { name, version, description, license, type, bin: { countersign: commandFile }, engines, optionalDependencies }
}
