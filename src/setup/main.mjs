// The entry of the built program: runs the bundle beside it, with what V8 made of it when the same command ran before.
//
// Node's own compile cache keeps of a file what is compiled to load it, and none of the functions that then run. Those
// are most of a start: https://v8.dev/blog/improved-code-caching
import { dirname, join } from "node:path"

// To import these would also load everything behind each of their exports.
const { mkdirSync, readFileSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs")
const { createRequire } = process.getBuiltinModule("node:module")
const { fileURLToPath } = process.getBuiltinModule("node:url")
const { cachedDataVersionTag } = process.getBuiltinModule("node:v8")
const { constants, Script } = process.getBuiltinModule("node:vm")
const { crc32 } = process.getBuiltinModule("node:zlib")

/** Which bundle this is; esbuild puts it in. */
const program = process.env["PROGRAM_DIGEST"]

/** So many ms after the start, the bot has run all that a start needs. */
const keepAfterMs = 10_000

const sumBytes = 4

const file = fileURLToPath(new URL("program.cjs", import.meta.url))
const compiled = compiledFile(process.env)
const cachedData = compiled === null ? undefined : readCompiled(compiled)
const script = new Script(readFileSync(file, "latin1"), {
  filename: file,
  ...(cachedData === undefined ? {} : { cachedData }),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
if (compiled !== null && (cachedData === undefined || script.cachedDataRejected)) keepLater(compiled)
const module = { exports: {} }
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file))

/**
 * Where what was compiled for this command is kept: in the folder of Node's own compile cache, if there is one. The
 * name holds all that it depends on: V8 itself does not compare the program.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null}
 */
function compiledFile({ NODE_COMPILE_CACHE: folder = "", NODE_DISABLE_COMPILE_CACHE: disabled = "" }) {
  const command = process.argv[2] ?? "help"
  if (folder === "" || disabled === "1" || !/^[a-z]{1,20}$/.test(command)) return null
  return join(folder, `countersign-${program}-${cachedDataVersionTag()}`, `${command}.bin`)
}

/**
 * @param {string} from
 * @returns {Buffer | undefined} undefined where nothing is kept, or not what was written
 */
function readCompiled(from) {
  let kept
  try {
    kept = readFileSync(from)
  } catch {
    return undefined
  }
  if (kept.length <= sumBytes) return undefined
  const code = kept.subarray(sumBytes)
  return crc32(code) === kept.readUInt32BE() ? code : undefined
}

/**
 * Keeps it once the command has run for a while or has ended well, so that no mistyped command is kept.
 * @param {string} to
 */
function keepLater(to) {
  let kept = false
  const keep = () => {
    if (!kept) write(to)
    kept = true
  }
  setTimeout(keep, keepAfterMs).unref()
  process.on("exit", (code) => {
    if (code === 0) keep()
  })
}

/** @param {string} to */
function write(to) {
  const code = script.createCachedData()
  const sum = Buffer.alloc(sumBytes)
  sum.writeUInt32BE(crc32(code))
  const draft = `${to}.${process.pid}`
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
    writeFileSync(draft, Buffer.concat([sum, code]), { mode: 0o600 })
    renameSync(draft, to)
  } catch {
    // As with Node's own cache: if nothing can be written, the next start compiles again.
  }
}
