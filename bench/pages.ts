// Measures pages of a service that has grown: a list of 100,000 runs, and a search for a word that all of 10,000
// documents have. The HTTP client shares a process with the service, so the figures are what a caller sees at worst.
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { knowledgeContent } from "../src/service/resources/knowledge-content.ts"
import { openDatabase, transact } from "../src/service/storage/database.ts"
import { insertRow } from "../src/service/storage/resource-store.ts"
import { saveRun } from "../src/service/storage/run-store.ts"
import { startService } from "../src/service.ts"
import type { Figure } from "./parts/figure.ts"
import { absolute } from "./parts/rounds.ts"

const rounds = 31
const runs = 100_000
const documents = 10_000
const wordsADocument = 60
const vocabulary = 5_000

/** Reports 23 to 23d. */
export async function run(report: (figure: Figure) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-pages-"))
  const file = join(folder, "service.sqlite")
  fill(file)
  const service = await startService({
    database: file,
    script: { agents: [{ id: "clerk" }] },
    authorization: false,
    clock: Date.now,
    random: randomBytes,
  })
  const asked = { method: "POST", headers: { "content-type": "application/json" } }
  const list = await timed(`${service.url}/traces?limit=20&agent_id=clerk`)
  const found = await timed(`${service.url}/knowledge/search`, { ...asked, body: JSON.stringify({ query: "common" }) })
  const many = (count: number) => count.toLocaleString("en")
  report(absolute({ scenario: "23", what: `a page of a list of ${many(runs)} runs`, unit: "ms" }, list))
  report(absolute({ scenario: "23b", what: `a search over ${many(documents)} documents`, unit: "ms" }, found))
  const stats = await waitedBeside(service.url, "trace_session_stats?limit=20")
  const refresh = await waitedBeside(service.url, "metrics/refresh", { method: "POST" })
  report(absolute({ scenario: "23c", what: "another request, while all sessions are counted", unit: "ms" }, stats))
  report(absolute({ scenario: "23d", what: "another request, while all days are counted", unit: "ms" }, refresh))
  await service.close()
  await rm(folder, { recursive: true })
}

/** What each request took, in ms, after some that only warm up. */
async function timed(url: string, request: RequestInit = {}): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = -5; round < rounds; round += 1) {
    const begun = performance.now()
    const response = await fetch(url, request)
    const text = await response.text()
    if (!response.ok || text.length < 1_000) throw new Error(`${url}: ${response.status} ${text}`)
    if (round >= 0) times.push(performance.now() - begun)
  }
  return times
}

/** The longest that a small request waits while a large one is answered, by round, in ms. */
async function waitedBeside(url: string, path: string, request: RequestInit = {}): Promise<readonly number[]> {
  const longest: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    let [answered, most] = [false, 0]
    const large = fetch(`${url}/${path}`, request).then(async (response) => {
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      answered = true
    })
    while (!answered) {
      const begun = performance.now()
      await (await fetch(`${url}/health`)).text()
      most = Math.max(most, performance.now() - begun)
    }
    await large
    if (round >= 0) longest.push(most)
  }
  return longest
}

function fill(file: string): void {
  const database = openDatabase(file)
  const begun = Date.now() - runs * 1_000
  transact(database, () => {
    for (let at = 0; at < runs; at += 1) aRun(database, at, begun)
    for (let at = 0; at < documents; at += 1) aDocument(database, at, begun)
  })
  database.close()
}

function aRun(database: DatabaseSync, at: number, begun: number): void {
  const createdAt = begun + at * 1_000
  saveRun(database, {
    id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    kind: "agent",
    componentId: "clerk",
    parentId: null,
    sessionId: `s${at % 1_000}`,
    userId: "ann@example.com",
    status: "COMPLETED",
    createdAt,
    updatedAt: createdAt + 500,
    state: {
      message: "Refund the order",
      answer: "Done.",
      turns: [],
      listens: false,
      toolbox: [],
      turn: 0,
      tools: [],
      requirements: [],
      name: "Clerk",
      error: null,
      schedule: null,
      step: null,
      approval: null,
      regenerated_from: null,
      model: null,
      instructions: null,
      said: [],
      usage: { input_tokens: 0, output_tokens: 0 },
    },
  })
}

/** Words that are as unevenly frequent as those of a language, and one that every document has. */
function aDocument(database: DatabaseSync, at: number, begun: number): void {
  const id = `d${at}`
  insertRow(database, knowledgeContent, {
    id,
    name: `document ${at}`,
    description: null,
    type: "text/plain",
    size: wordsADocument * 8,
    metadata: null,
    status: "completed",
    status_message: null,
    origin: null,
    user_id: null,
    created_at: begun,
    updated_at: begun,
  })
  const words = Array.from({ length: wordsADocument }, (_, place) => {
    const share = ((at * wordsADocument + place) * 0.618_033_988_749_895) % 1
    return `word${Math.floor(share * share * vocabulary)}`
  })
  database
    .prepare("INSERT INTO knowledge_chunks (content_id, place, text) VALUES (?, 0, ?)")
    .run(id, `common ${words.join(" ")}`)
}
