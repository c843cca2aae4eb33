// The commands that a page tells its reader to give, and whether a test or .ci/run gives them too.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Block, blocksOf, walkedPages } from "./package/pages/blocks.ts"

const root = new URL("..", import.meta.url).pathname
/** The text of a file of the project. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
/** A command, perhaps with a variable in front. */
const programs =
  /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|docker|countersign|openssl|git|export|curl|kubectl|helm|pip|python3?|redis-\w+)\b/

/** The blocks of commands that a test of the package gives from the page itself, in order. */
const walked = walkedPages.flatMap((page) => commandsIn(blocksOf(page).map(fenced).join("\n")))

function fenced({ language, text }: Block): string {
  return `\`\`\`${language}\n${text}\`\`\``
}

/** True if the command stands in a block of a page that a test walks from end to end. */
export function isWalked(command: string): boolean {
  return walked.includes(command)
}

/** Every command of a page, in its blocks and in its sentences, without `export` lines and what follows a `#`. */
export function commandsIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, language]) => language === "" || language === "sh")
    .flatMap(([, , block = ""]) => block.replaceAll("\\\n", "").split("\n"))
    .filter((line) => programs.test(line.trim()))
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)
  const lines = [...blocks, ...inline.filter((code) => programs.test(code) && code.includes(" "))]
  const commands = lines.flatMap((line) => line.split("&&")).map((line) => line.replace(/ +#.*$/, "").trim())
  return [...new Set(commands)].filter((line) => line !== "" && !line.startsWith("export "))
}

/** The words that a test hands to a process for this command: npm scripts of ours are started by their task. */
function wordsOf(command: string): readonly string[] {
  const [, ours] = /^(?:[A-Z_]+=\S+ )*(?:npm run (?:--silent )?countersign --|countersign) (.+)$/.exec(command) ?? []
  const demo = /^npm run demo(?: -- (.+))?$/.exec(command)
  if (demo) return ["demo", ...(demo[1]?.split(" ") ?? [])]
  return (ours ?? command).split(" ")
}

const testPaths = globSync("test/**/*.ts", { cwd: root }).filter(
  (path) => !["test/readme.test.ts", "test/docs.test.ts"].includes(path),
)
const tests = testPaths.map(textOf)
const ci = textOf(".ci/run")

/** True if .ci/run or a test hands just these words to a process. */
export function isRun(command: string): boolean {
  return ci.includes(`'${command}'`) || isCalled(wordsOf(command), String.raw`\s*[\])]`)
}

/** True for a command of ours that a test gives with words of its own in place of the reader's. */
export function isRunWithOthers(command: string): boolean {
  if (!/countersign /.test(command)) return false
  const words = wordsOf(command)
  const own = words.findIndex((word) => /^[<A-Z>-]|[./:@]/.test(word))
  const fixed = own < 0 ? words : words.slice(0, own)
  const options = words.filter((word) => word.startsWith("--")).map((word) => word.slice(2))
  return fixed.length > 1 && isCalled(fixed, String.raw`\s*[,\])]`) && options.every((option) => cli.includes(option))
}

const cli = globSync("src/cli/**/*.ts", { cwd: root }).map(textOf).join("\n")

/** As the helpers of our tests are called: command([…]), done([…]), countersign(…), or with a list made before. */
function isCalled(words: readonly string[], end: string): boolean {
  const quoted = words.map((word) => JSON.stringify(word).replaceAll(/[.+*?^${}()|[\]\\/]/g, String.raw`\$&`))
  const start = String.raw`(?:\bcommand\(\[|\bdone\(\[|\bcountersign\((?:here, )?|= \[)`
  const called = new RegExp(`${start}${quoted.join(String.raw`,\s*`)}${end}`)
  return tests.some((text) => called.test(text))
}

/**
 * True for `npm test -- PATH -t "WORDS"` and its like where files of that path are there, and one has these words. `-u`
 * writes what the test else compares.
 */
export function isTestThatIsThere(command: string): boolean {
  const suite = String.raw`^(?:[A-Z_]+=\S+ )*npm (?:test|run test:\w+)(?: --)?`
  const found = new RegExp(String.raw`${suite}(?: (test/[\w/.-]+))?(?: -t "?([^"]+?)"?)?(?: -u)?$`).exec(command)
  if (!found || (found[1] === undefined && found[2] === undefined)) return false
  const [, path = "test/", words = ""] = found
  return testPaths.some((file) => file.includes(path) && textOf(file).includes(words))
}
