// The measures of the tree: names that mean one thing, folders and files neither too full nor too small, one dialect.
import { posix } from "node:path"
import { importsIn, moduleOf, withoutComments, withoutEnding } from "./imports.ts"

const mostInFolder = 15
const fewestLines = 70
const widestLine = 120

/** Base names that any folder may have. */
const commonNames = ["errors", "index", "main"]

/** What the measures excuse, each with its reason. */
export interface Excuses {
  /** Small files with one importer or none, by path: who else needs them, or why they stand alone. */
  readonly small: Readonly<Record<string, string>>
  /** Exported types of one name in several modules: what the name means in all of them. */
  readonly shared: Readonly<Record<string, string>>
}

/** What is measured of a file. */
interface File {
  readonly path: string
  readonly name: string
  readonly folder: string
  readonly source: string
  readonly code: string
}

/** Every breach among the files, one line each, in order. Keys of the files are paths below `src`. */
export function nameBreaches(sources: ReadonlyMap<string, string>, excuses: Excuses): readonly string[] {
  const files = [...sources].map(([path, source]) => toFile(path, source))
  const modules = Map.groupBy(files, ({ path }) => moduleOf(path))
  return [
    ...[...modules.values()].flatMap((module) => [
      ...sameNames(module),
      ...sameTypes(module),
      ...sameFunctions(module),
      ...fullFolders(module),
      ...module.flatMap(dialectBreaches),
    ]),
    ...smallFiles(files, excuses.small),
    ...sharedTypes(files, excuses.shared),
  ].toSorted()
}

/** A breach if a file has lines that are too wide. Words in quotes, such as the name of a test, may be as long. */
export function wideLines(path: string, source: string): readonly string[] {
  return wide(path, source.replaceAll(/(["'`]).*\1/g, ""))
}

function wide(path: string, source: string): readonly string[] {
  const found = source.split("\n").some((line) => line.length > widestLine)
  return found ? [`${path}: lines beyond ${widestLine} columns`] : []
}

/** Titles of tests that only go on from the name of their suite, or say nothing but what a row of their table says. */
export function fragments(path: string, source: string): readonly string[] {
  const titles = [...source.matchAll(/(?:^\s*(?:test|it)(?:\.\w+)?\(|\)\()\s*(["'`])(.*?)\1,/gm)].filter(
    ({ index }) => /.*\b(test|it|describe)\b[.(]/s.exec(source.slice(0, index + 6))?.[1] !== "describe",
  )
  const fragment =
    /^(?:R\d+:? |traps? [\d, and]+: )*(?:(?:that|whose|of which|because|and|but|so (?:is|are|has))\b|[%$?]\S+$)/
  return titles
    .map(([, , title = ""]) => title)
    .filter((title) => fragment.test(title))
    .map((title) => `${path}: "${title}" is no sentence`)
}

function toFile(path: string, source: string): File {
  return {
    path,
    source,
    name: withoutEnding(posix.basename(path)),
    folder: posix.dirname(path),
    code: withoutComments(source),
  }
}

function sameNames(module: readonly File[]): readonly string[] {
  const named = Map.groupBy(module, ({ name }) => name)
  return [...named]
    .filter(([name, files]) => files.length > 1 && !commonNames.includes(name))
    .map(([name, files]) => `${pathsOf(files)}: base name ${name} stands twice in the module`)
}

function sameTypes(module: readonly File[]): readonly string[] {
  return [...typesOf(module)]
    .filter(([, files]) => files.length > 1)
    .map(([type, files]) => `${pathsOf(files)}: type ${type} stands twice in the module`)
}

function sameFunctions(module: readonly File[]): readonly string[] {
  const declared = module.flatMap((file) => functionsIn(file.code).map((name) => ({ name, file })))
  return [...Map.groupBy(declared, ({ name }) => name)]
    .map(([name, all]) => ({ name, files: [...new Set(all.map(({ file }) => file))] }))
    .filter(({ files }) => files.length > 1)
    .map(({ name, files }) => `${pathsOf(files)}: function ${name} stands twice in the module`)
}

/** The names of the functions that stand by themselves, not within another. */
function functionsIn(code: string): readonly string[] {
  const declared =
    /^(?:export )?(?:default )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+) = (?:async )?(?:<.*>)?\(.*=>/gm
  return [...code.matchAll(declared)].flatMap(([, name, arrow]) => name ?? arrow ?? [])
}

function sharedTypes(files: readonly File[], reasons: Excuses["shared"]): readonly string[] {
  const shared = new Map(
    [...typesOf(files)].filter(([, owners]) => new Set(owners.map(({ path }) => moduleOf(path))).size > 1),
  )
  const excused = Object.keys(reasons)
  return [
    ...[...shared]
      .filter(([type]) => !excused.includes(type))
      .map(([type, owners]) => `${pathsOf(owners)}: type ${type} of several modules`),
    ...excused.filter((type) => !shared.has(type)).map((type) => `type ${type} needs no reason, no modules share it`),
  ]
}

/** The exported types that are made here, not handed on, and the files that make them. */
function typesOf(files: readonly File[]): ReadonlyMap<string, readonly File[]> {
  const made = files.flatMap((file) =>
    [...file.code.matchAll(/^export (?:declare )?(?:interface|type|(?:abstract )?class|enum) (\w+)/gm)].map(
      ([, type = ""]) => ({ type, file }),
    ),
  )
  return new Map([...Map.groupBy(made, ({ type }) => type)].map(([type, all]) => [type, all.map(({ file }) => file)]))
}

function fullFolders(module: readonly File[]): readonly string[] {
  return [...Map.groupBy(module, ({ folder }) => folder)]
    .filter(([, files]) => files.length > mostInFolder)
    .map(([folder]) => `${folder}/: more than ${mostInFolder} files`)
}

/** Files that one other could hold. A port is an entry point, and so is what is loaded only when it is asked for. */
function smallFiles(files: readonly File[], reasons: Excuses["small"]): readonly string[] {
  const imports = files.flatMap(({ path, folder, code }) =>
    importsIn(code).map(({ target, late }) => ({ path, late, target: posix.join(folder, target) })),
  )
  const importers = Map.groupBy(imports, ({ target }) => target)
  const small = files.filter(({ path, source }) => {
    const found = importers.get(path) ?? []
    const few = new Set(found.map((one) => one.path)).size < 2 && !found.some(({ late }) => late)
    return few && source.trimEnd().split("\n").length < fewestLines && !path.startsWith("flow/ports/")
  })
  const excused = Object.keys(reasons)
  const paths = small.map(({ path }) => path)
  return [
    ...paths
      .filter((path) => !excused.includes(path))
      .map((path) => `${path}: below ${fewestLines} lines, one importer at most`),
    ...excused.filter((path) => !paths.includes(path)).map((path) => `${path}: needs no reason, it is not too small`),
  ]
}

function dialectBreaches({ path, source, code }: File): readonly string[] {
  const most = [...code.matchAll(/^export const (most[A-Z]\w*|MOST_\w+)/gm)].map(([, name]) => name)
  const capitals = /^(?:export )?const [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)* ?[:=]/m.test(code)
  const shapes = [...code.matchAll(/^(?:export )?type (\w+)(?:<.*>)? = \{$/gm)].map(([, name]) => name)
  return [
    ...wide(path, source),
    ...most.map((name) => `${path}: limit ${name}, which has to begin with max`),
    ...(capitals ? [`${path}: constants in capitals`] : []),
    ...shapes.map((name) => `${path}: type ${name}, an object shape that has to be an interface`),
  ]
}

function pathsOf(files: readonly File[]): string {
  return files.map(({ path }) => path).join(", ")
}
