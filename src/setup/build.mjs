// Makes the package in dist/: the program as a bundle, since Node runs no TypeScript below node_modules, and the rest.
import { createHash } from "node:crypto"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { leaveOut } from "./left-out.mjs"
import { bundlePage, pageFolder, scriptFile, styleFile } from "./page.mjs"
import { writeSbom } from "./sbom.mjs"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const dist = join(root, "dist")

/** The starter, which an older Node can run. */
const commandFile = "countersign.mjs"
const programFile = "program.cjs"
/** What others may import; the name of its file, too. */
const checkName = "check-call"

/** What stands in the package as it stands here. */
const copied = ["README.md", "LICENSE", "manifest.yml", "countersign.example.yaml"]

/**
 * Packages that BullMQ imports only when asked for a database or a tracer that we do not use, and the one that bundles
 * the page, which lies here ready.
 */
const neverLoaded = ["pg", "redis", "bullmq-otel", "@valkey/valkey-glide", "esbuild"]

/** The function that `main.mjs` calls: it gets what Node gives a CommonJS module. */
const wrapper = {
  banner: {
    js: `(function (exports, require, module, __filename, __dirname) { "use strict";
const moduleUrl = require("node:url").pathToFileURL(__filename).href;`,
  },
  footer: { js: "})" },
}

rmSync(dist, { recursive: true, force: true })
/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  logLevel: "warning",
  metafile: true,
}
const program = await build({
  ...common,
  ...wrapper,
  entryPoints: ["src/cli/main.ts"],
  outfile: join(dist, programFile),
  // One file, so that V8 keeps its compiled code in one piece; code that a command does not need is not evaluated.
  format: "cjs",
  // `main.mjs` reads it byte by byte.
  charset: "ascii",
  define: {
    "import.meta.url": "moduleUrl",
    // A native part does not fit into a bundle, so nobody has to look for one.
    "process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED": '"true"',
  },
  target: "node24",
  external: neverLoaded,
  plugins: [leaveOut],
  legalComments: "linked",
})
const digest = createHash("sha256")
  .update(readFileSync(join(dist, programFile)))
  .digest("hex")
  .slice(0, 16)
const entry = await build({
  ...common,
  entryPoints: ["src/setup/main.mjs"],
  outfile: join(dist, "main.mjs"),
  format: "esm",
  define: { "process.env.PROGRAM_DIGEST": JSON.stringify(digest) },
  target: "node24",
})
const command = await build({
  ...common,
  entryPoints: ["src/setup/bin.mjs"],
  outfile: join(dist, commandFile),
  format: "esm",
  target: "node20",
  banner: { js: "#!/usr/bin/env node" },
})
chmodSync(join(dist, commandFile), 0o755)

// The check of a gate for tools of others (docs/tool-gate.md). `JSON.rawJSON` is in Node 22.
const check = await build({
  ...common,
  entryPoints: ["src/proof/check-call.ts"],
  outfile: join(dist, `${checkName}.mjs`),
  format: "esm",
  target: "node22",
  legalComments: "inline",
})
copyFileSync(join(root, `src/setup/${checkName}.d.mts`), join(dist, `${checkName}.d.mts`))

const page = await bundlePage(root)
mkdirSync(join(dist, pageFolder))
writeFileSync(join(dist, pageFolder, scriptFile), page.script)
writeFileSync(join(dist, pageFolder, styleFile), page.style)

const builds = [program, entry, command, check, page]
await writeSbom({ root, folder: dist, metafiles: builds.map(({ metafile }) => metafile) })
for (const file of copied) copyFileSync(join(root, file), join(dist, file))
writeFileSync(join(dist, "package.json"), `${JSON.stringify(packageJson(), null, 2)}\n`)

/** The package.json of the package: it holds its packages as a bundle, so it depends on a Node alone. */
function packageJson() {
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { name, version, description, license, type, engines, optionalDependencies } = ours
  const bin = { countersign: commandFile }
  const check = { types: `./${checkName}.d.mts`, default: `./${checkName}.mjs` }
  const exports = { [`./${checkName}`]: check, "./package.json": "./package.json" }
  return { name, version, description, license, type, bin, exports, engines, optionalDependencies }
}
