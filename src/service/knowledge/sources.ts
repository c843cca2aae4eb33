// The sources that an operator allows: addresses and folders. Nothing else is ever fetched.
import { resolve } from "node:path"
import { ServiceError } from "../errors.ts"

/** A place from which we may fetch content: all under an address, or all in a folder of this machine. */
export type KnowledgeSource =
  | { readonly id: string; readonly type: "http"; readonly base: URL }
  | { readonly id: string; readonly type: "folder"; readonly folder: string }

const form = /^([A-Za-z0-9][A-Za-z0-9_-]{0,62})=(.+)$/

/**
 * Reads sources as an operator writes them: `handbook=https://example.com/handbook/`, `notes=/srv/notes`. An address
 * allows everything under its path. Throws `ServiceError` that names the source that cannot be read.
 */
export function readSources(texts: readonly string[]): readonly KnowledgeSource[] {
  const sources = texts.map(readSource)
  const twice = sources.find(({ id }, at) => sources.findIndex((other) => other.id === id) !== at)
  if (twice !== undefined) throw sourceFault(twice.id, "the name is used twice")
  return sources
}

function readSource(text: string): KnowledgeSource {
  const [, id, place] = form.exec(text) ?? []
  if (id === undefined || place === undefined) {
    throw sourceFault(
      text,
      "expected a name and a place, such as handbook=https://example.com/handbook/ or notes=/srv/notes",
    )
  }
  if (!/^[a-z]+:\/\//i.test(place)) return { id, type: "folder", folder: resolve(place) }
  const base = URL.canParse(place) ? new URL(place) : null
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== "" || base.search + base.hash !== "") {
    throw sourceFault(id, "expected an http or https address without credentials, query and fragment")
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/"
  return { id, type: "http", base }
}

function sourceFault(id: string, fault: string): ServiceError {
  return new ServiceError("source_invalid", `knowledge source ${id}: ${fault}`)
}

/** The address in a text, if it is under an allowed address; else null. */
export function allowedAddress(sources: readonly KnowledgeSource[], text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null
  const isAllowed = url !== null && sources.some((source) => source.type === "http" && isUnder(url, source.base))
  return isAllowed ? url : null
}

/** True for an address under another one. An encoded slash may be a slash to the server, so we refuse it. */
export function isUnder(url: URL, base: URL): boolean {
  if (url.origin !== base.origin || url.username !== "" || url.password !== "") return false
  return url.pathname.startsWith(base.pathname) && !/%2f|%5c|\\/i.test(url.pathname)
}
