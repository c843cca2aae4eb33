// 9.1: a client in Python that is generated from the interface description, and works with each family of routes.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { aToken, call, type TestService } from "../service/a-service.ts"
import { aFullService } from "../service/components.ts"
import { aFolder, runTool } from "./tools.ts"

const { folder, remove } = aFolder()
let service: TestService
let generated: { readonly code: number; readonly said: string }

beforeAll(async () => {
  service = await aFullService()
  writeFileSync(join(folder, "openapi.json"), (await call(service, "GET /openapi.json")).text)
  const output = ["--output-path", join(folder, "client"), "--meta", "none"]
  generated = await runTool("openapi-python-client", ["generate", "--path", "openapi.json", ...output], folder)
})
afterAll(async () => {
  await service.close()
  remove()
})

test("a client is generated, and no part of the description is left out", () => {
  expect(generated).toEqual({ code: 0, said: expect.not.stringMatching(/warning|unable|skipp|duplicate/i) })
})

const runs = "list Component Run Run list Refusal RunCancelled"

/** What comes back, in the order of `use_client.py`: names of models; 204 without one. */
const expected = {
  approvals: "ApprovalResponse ApprovalList ApprovalCount ApprovalStatus ApprovalResponse ApprovalResponse 204 Refusal",
  agents: runs,
  teams: runs,
  workflows: runs,
  sessions: "Session SessionList Session Session Session list 204",
  memory: "Memory MemoryList list MemoryStatsList Memory MemoriesOptimized 204",
  learnings: "Learning LearningList Learning Refusal 204",
  evals: "EvalRun EvalRunList EvalRun 204",
  traces: "TraceSummaryList TraceDetail TraceSessionStatsList TraceDetailList",
  metrics: "list Metrics",
  knowledge:
    "KnowledgeContent KnowledgeContentList KnowledgeFoundList KnowledgeContent KnowledgeConfig KnowledgeContentDeleted",
  components:
    "CatalogComponent CatalogComponentList CatalogComponent ComponentConfig ComponentConfig " +
    "CatalogComponent ComponentConfig list 204",
  schedules: "Schedule ScheduleState ScheduleState ScheduleRunList ScheduleList HTTPValidationError 204",
  service_accounts: "ServiceAccountCreated ServiceAccountList 204",
  config: "Config list",
  registry: "RegistryList",
  database: "Migrated",
  health: "Health",
  core: "Info",
  a2a: "AgentCard A2AResponse A2AResponse A2ARefusal",
}

test("the client uses every family of routes, and reads what comes back", async () => {
  const program = fileURLToPath(new URL("use_client.py", import.meta.url))
  const token = await aToken(["service:admin"], { sub: "ann" })

  const { code, said } = await runTool("python", [program, service.url, token], folder)

  expect(code, said).toBe(0)
  expect(JSON.parse(said)).toEqual(expected)
})
