// Texts of allowed sources: fetched from an address, or read from a folder, with limits of size and time.
import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, relative } from "node:path"
import { request } from "undici"
import { messageOf } from "../errors.ts"
import { wireTime } from "../wire/wire-time.ts"
import { isUnder, type KnowledgeSource } from "./sources.ts"

/** How long an address may take, in milliseconds. */
const timeoutMs = 30_000

/** A text with its media type, or why we have none. */
export type Fetched =
  | { readonly ok: true; readonly text: string; readonly type: string }
  | { readonly ok: false; readonly why: string }

/** Fetches the text at an address, which must be allowed. Follows no redirect, because that could lead elsewhere. */
export async function fetchText(url: URL, maxBytes: number): Promise<Fetched> {
  try {
    const answer = await request(url, { signal: AbortSignal.timeout(timeoutMs) })
    const { statusCode: status, headers, body } = answer
    if (status !== 200) {
      await body.dump()
      return notFetched(
        `GET ${url.href} was answered with ${status}${status >= 300 && status < 400 ? ", a redirect" : ""}`,
      )
    }
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) continue
      size += chunk.byteLength
      if (size > maxBytes) return notFetched(`GET ${url.href}: it is longer than ${maxBytes} bytes`)
      chunks.push(Buffer.from(chunk))
    }
    return decoded(Buffer.concat(chunks), typeOf(headers["content-type"]))
  } catch (error) {
    return notFetched(`GET ${url.href}: ${messageOf(error)}`)
  }
}

function typeOf(header: string | readonly string[] | undefined): string {
  const [first = "text/plain"] = [header ?? []].flat()
  return first.replace(/;.*$/s, "").trim()
}

/** Reads a file of a folder. If dots or links lead out of the folder, there is no such file. */
export async function readText(folder: string, path: string, maxBytes: number): Promise<Fetched> {
  const file = await fileIn(folder, path)
  try {
    const stats = file === null ? null : await stat(file)
    if (file === null || stats?.isFile() !== true) return notFetched(`${path} is no file of this source`)
    if (stats.size > maxBytes) return notFetched(`${path} is longer than ${maxBytes} bytes`)
    return decoded(await readFile(file), typeOfName(path))
  } catch {
    return notFetched(`${path} cannot be read`) // the error would tell where the folder is on this machine
  }
}

/** The real path of a file or folder in a folder; null if there is none. */
async function fileIn(folder: string, path: string): Promise<string | null> {
  try {
    const [top, file] = [await realpath(folder), await realpath(join(folder, path))]
    const way = relative(top, file)
    return way.startsWith("..") || isAbsolute(way) ? null : file
  } catch {
    return null // it is not there, or may not be read
  }
}

const types: Readonly<Record<string, string>> = {
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  json: "application/json",
  md: "text/markdown",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
}

/** The media type by a file's name. */
function typeOfName(name: string): string {
  return types[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "text/plain"
}

/** The text of bytes in UTF-8. No other encoding can be searched here. */
export function decoded(bytes: Uint8Array, type: string): Fetched {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return text.includes("\0") ? notFetched("It is not a text in UTF-8") : { ok: true, text, type }
  } catch {
    return notFetched("It is not a text in UTF-8")
  }
}

function notFetched(why: string): Fetched {
  return { ok: false, why }
}

/** The address of a path under a source; null if the path leads elsewhere. */
export function addressUnder({ base }: Extract<KnowledgeSource, { readonly type: "http" }>, path: string): URL | null {
  const relativePath = path.replace(/^\/+/, "")
  const url = URL.canParse(relativePath, base.href) ? new URL(relativePath, base) : null
  return url !== null && isUnder(url, base) ? url : null
}

/** One level of a folder: its folders, a page of its files, and how many files there are. */
interface FolderLevel {
  readonly folders: readonly Record<string, unknown>[]
  readonly files: readonly Record<string, unknown>[]
  readonly total: number
}

/** Lists the folder that a prefix names, ordered by name; null if the source has no such folder. */
export async function listFolder(
  folder: string,
  prefix: string,
  { limit, page }: { readonly limit: number; readonly page: number },
): Promise<FolderLevel | null> {
  const place = await fileIn(folder, prefix)
  if (place === null || !(await stat(place)).isDirectory()) return null
  const base = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`
  const entries = (await readdir(place, { withFileTypes: true })).toSorted((left, right) =>
    left.name < right.name ? -1 : 1,
  )
  const files = entries.filter((entry) => entry.isFile())
  const folders = entries.filter((entry) => entry.isDirectory())
  return {
    folders: await Promise.all(folders.map(({ name }) => folderView(join(place, name), `${base}${name}/`, name))),
    files: await Promise.all(
      files.slice((page - 1) * limit, page * limit).map(({ name }) => fileView(join(place, name), base + name, name)),
    ),
    total: files.length,
  }
}

async function folderView(path: string, prefix: string, name: string): Promise<Record<string, unknown>> {
  return { prefix, name, is_empty: (await readdir(path)).length === 0 }
}

async function fileView(path: string, key: string, name: string): Promise<Record<string, unknown>> {
  const { size, mtimeMs } = await stat(path)
  return { key, name, size, last_modified: wireTime(mtimeMs), content_type: typeOfName(name) }
}
