// The contract of the families of routes that are made from descriptions: the same requests, and the same statuses and
// shapes from AgentOS 3.1.10 and the embedded service. What differs on purpose stands in docs/service.md.
import { expect, test } from "vitest"
import { ask, iso, page, rowOf, seconds, text } from "./asked.ts"
import { describePlatforms, TODAYS } from "./platforms.ts"

describePlatforms(
  "families",
  ({ os }) => {
    test("memories: made, listed, found, changed, counted, removed", async () => {
      const made = await ask(os(), "POST /memories", { memory: "Likes tea", user_id: "ann", topics: ["drinks", "tea"] })
      const id = String(rowOf(made)["memory_id"])
      await ask(os(), "POST /memories", { memory: "Lives in Rome", user_id: "bob", topics: ["place"] })

      const row = { memory_id: text, memory: "Likes tea", topics: ["drinks", "tea"], user_id: "ann", updated_at: iso }
      expect(made).toMatchObject({ status: 200, body: { ...row, agent_id: null, team_id: null } })
      expect((await ask(os(), `GET /memories/${id}`)).body).toEqual(made.body)
      const narrowed = await ask(os(), "GET /memories?user_id=ann&topics=tea&search_content=TEA")
      expect(narrowed.body).toEqual({ data: [made.body], meta: page(20, 1) })
      const changed = await ask(os(), `PATCH /memories/${id}`, {
        memory: "Likes coffee",
        user_id: "ann",
        topics: ["x"],
      })
      expect(changed).toMatchObject({ status: 200, body: { memory: "Likes coffee", topics: ["x"], user_id: "ann" } })
      expect((await ask(os(), "GET /user_memory_stats?user_id=ann")).body).toEqual({
        data: [{ user_id: "ann", total_memories: 1, last_memory_updated_at: iso }],
        meta: page(20, 1),
      })
      expect((await ask(os(), "GET /memory_topics?user_id=bob")).body).toEqual(["place"])
      expect((await ask(os(), `DELETE /memories/${id}`)).status).toBe(204)
      expect((await ask(os(), `DELETE /memories/${id}`)).status).toBe(204)
      expect(await ask(os(), `GET /memories/${id}`)).toMatchObject({
        status: 404,
        body: { detail: `Memory with ID ${id} not found` },
      })
    })

    test.each<[string, string, unknown, number]>([
      ["no user", "POST /memories", { memory: "x" }, 400],
      ["an empty text", "POST /memories", { memory: "", user_id: "ann" }, 422],
      ["a text that is too long", "POST /memories", { memory: "x".repeat(5001), user_id: "ann" }, 422],
      ["no ids", "DELETE /memories", { memory_ids: [] }, 422],
      ["a page of nothing", "GET /memories?limit=0", undefined, 422],
      ["a user who has none", "POST /optimize-memories", { user_id: "nobody" }, 404],
    ])("memories: what is asked with %s is refused", async (_name, request, json, status) => {
      expect((await ask(os(), request, json)).status).toBe(status)
    })

    test("learnings: made under the id that follows from whom they are about, once, changed, removed", async () => {
      const wish = { learning_type: "user_profile", content: { likes: "tea" }, user_id: "ann" }

      const made = await ask(os(), "POST /learnings", wish)

      expect(made).toMatchObject({
        status: 201,
        body: { learning_id: "user_profile_ann", ...wish, namespace: null, metadata: null, created_at: seconds },
      })
      expect(await ask(os(), "POST /learnings", wish)).toMatchObject({
        status: 409,
        body: {
          detail:
            "A 'user_profile' learning already exists for this identity (id 'user_profile_ann'). " +
            "Use PATCH /learnings/user_profile_ann to update it.",
        },
      })
      const listed = await ask(os(), "GET /learnings?user_id=ann&learning_type=user_profile")
      expect(listed.body).toEqual({ data: [made.body], meta: page(100, 1) })
      const changed = await ask(os(), "PATCH /learnings/user_profile_ann", { metadata: { a: 1 } })
      expect(changed).toMatchObject({ status: 200, body: { content: { likes: "tea" }, metadata: { a: 1 } } })
      expect((await ask(os(), "DELETE /learnings/user_profile_ann")).status).toBe(204)
      for (const method of ["GET", "DELETE"]) {
        expect(await ask(os(), `${method} /learnings/user_profile_ann`)).toMatchObject({
          status: 404,
          body: { detail: "Learning not found" },
        })
      }
    })

    test.each([
      [{ learning_type: "entity_memory", entity_id: "a", entity_type: "b" }, "entity_global_b_a"],
      [{ learning_type: "session_context", session_id: "s" }, "session_context_s"],
      [
        { learning_type: "entity_memory", entity_id: "a", entity_type: "b", namespace: "user", user_id: "ann" },
        "entity_user_49915e0d7d4b402e_b_a",
      ],
    ])("learnings: %j has the id %s", async (wish, id) => {
      const made = await ask(os(), "POST /learnings", { content: {}, ...wish })

      expect(rowOf(made)["learning_id"]).toBe(id)
      await ask(os(), `DELETE /learnings/${id}`)
    })

    test("eval runs: none, and what is not there is said alike", async () => {
      const gone = { status: 404, body: { detail: "Eval run with id 'none' not found" } }

      expect((await ask(os(), "GET /eval-runs")).body).toEqual({ data: [], meta: page(20, 0) })
      expect(await ask(os(), "GET /eval-runs/none")).toMatchObject(gone)
      expect(await ask(os(), "PATCH /eval-runs/none", { name: "x" })).toMatchObject(gone)
      expect((await ask(os(), "DELETE /eval-runs", { eval_run_ids: ["none"] })).status).toBe(204)
      expect((await ask(os(), "DELETE /eval-runs", { eval_run_ids: [] })).status).toBe(422)
      const both = { agent_id: "admin-agent", team_id: "x", eval_type: "reliability", input: "x" }
      expect(await ask(os(), "POST /eval-runs", both)).toMatchObject({
        status: 400,
        body: { detail: "Only one of agent_id or team_id must be provided" },
      })
      expect((await ask(os(), "POST /eval-runs", { ...both, agent_id: "none", team_id: null })).status).toBe(404)
    })

    test("components: a draft, its versions, the current one, and its end", async () => {
      const made = await ask(os(), "POST /components", { name: "Clerk", component_type: "agent", config: { a: 1 } })

      const row = { component_id: "clerk", component_type: "agent", name: "Clerk", user_id: "ann", created_at: seconds }
      expect(made).toMatchObject({ status: 201, body: row })
      expect(made.body).not.toHaveProperty("current_version")
      expect((await ask(os(), "GET /components?component_type=agent")).body).toMatchObject({ data: [row] })
      expect((await ask(os(), "GET /components/clerk/configs")).body).toMatchObject([{ version: 1, stage: "draft" }])
      expect((await ask(os(), "POST /components/clerk/configs/1/set-current")).status).toBe(400)
      const published = await ask(os(), "PATCH /components/clerk/configs/1", { stage: "published" })
      expect(published).toMatchObject({ status: 200, body: { component_id: "clerk", version: 1, stage: "published" } })
      expect((await ask(os(), "PATCH /components/clerk/configs/1", { notes: "x" })).status).toBe(400)
      const second = await ask(os(), "POST /components/clerk/configs", { config: {}, stage: "published" })
      expect(second).toMatchObject({ status: 201, body: { version: 2, stage: "published" } })
      expect((await ask(os(), "GET /components/clerk/configs/current")).body).toMatchObject({ version: 2 })
      expect(await ask(os(), "POST /components/clerk/configs/1/set-current")).toMatchObject({
        status: 200,
        body: { component_id: "clerk", current_version: 1 },
      })
      expect((await ask(os(), "PATCH /components/clerk", { guard: { current_version: 2 } })).status).toBe(409)
      expect((await ask(os(), "DELETE /components/clerk/configs/2")).status).toBe(400)
      expect((await ask(os(), "DELETE /components/clerk")).status).toBe(204)
      expect(await ask(os(), "GET /components/clerk")).toMatchObject({
        status: 404,
        body: { detail: "Component clerk not found" },
      })
    })

    test("schedules, traces, metrics: what is empty, and what is not there", async () => {
      expect((await ask(os(), "GET /schedules")).body).toEqual({ data: [], meta: page(100, 0) })
      expect(await ask(os(), "GET /schedules/none")).toMatchObject({
        status: 404,
        body: { detail: "Schedule not found" },
      })
      expect(await ask(os(), "GET /schedules/none/runs/none")).toMatchObject({
        status: 404,
        body: { detail: "Schedule run not found" },
      })
      expect(await ask(os(), "GET /traces/none")).toMatchObject({ status: 404, body: { detail: "Trace not found" } })
      expect((await ask(os(), "POST /traces/search", { filter: { op: "NEAR" } })).status).toBe(400)
      expect(rowOf(await ask(os(), "GET /metrics"))).toHaveProperty("metrics")
      expect((await ask(os(), "POST /metrics/refresh")).status).toBe(200)
      expect((await ask(os(), "POST /metrics/refresh?background=true")).status).toBe(202)
      expect(rowOf(await ask(os(), "POST /databases/all/migrate"))["message"]).toBe(
        "All databases migrated successfully to latest version",
      )
    })
  },
  TODAYS,
)
