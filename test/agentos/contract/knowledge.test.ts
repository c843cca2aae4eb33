// The contract of knowledge: the same requests, and the same statuses and shapes from AgentOS 3.1.10 and the embedded
// service. What differs is picked case by case, with its reason; docs/service.md lists it.
import { setTimeout as wait } from "node:timers/promises"
import { expect, test } from "vitest"
import { ask, iso, page, rowOf, text } from "./asked.ts"
import { describePlatforms, TODAYS } from "./platforms.ts"

const olives = { name: "olives", text_content: "Ann grows olives near Rome." }

describePlatforms(
  "knowledge",
  ({ os, pick }) => {
    const asForm = (request: string, form: Readonly<Record<string, string>>) => ask(os(), request, undefined, form)
    const added = async (form: Readonly<Record<string, string>>): Promise<string> =>
      String(rowOf(await asForm("POST /knowledge/content", form))["id"])
    /** Reads a content once it is read in. */
    const settled = async (id: string) => {
      const end = Date.now() + 20_000
      while (Date.now() < end) {
        const answer = await ask(os(), `GET /knowledge/content/${id}`)
        if (answer.status === 200 && rowOf(answer)["status"] !== "processing") return answer
        await wait(100)
      }
      throw new Error(`content ${id} stays as it is`)
    }

    test("knowledge: a text is taken, shown, listed, found, renamed, removed", async () => {
      const taken = await asForm("POST /knowledge/content", { ...olives, metadata: '{"a":"b"}', description: "d" })
      const id = String(rowOf(taken)["id"])
      const shown = await settled(id)

      const told = { id: text, name: "olives", description: "d", metadata: { a: "b" } }
      // A text is read in at once here; what has to be fetched is not.
      const status = pick({ embedded: "completed", v2: "processing", v3: "processing" })
      expect(taken).toMatchObject({ status: 202, body: { ...told, status } })
      expect(shown.body).toMatchObject({ ...told, id, status: "completed", created_at: iso })
      expect((await ask(os(), "GET /knowledge/content")).body).toMatchObject({
        data: [{ ...told, id }],
        meta: page(20, 1),
      })
      const found = await ask(os(), "POST /knowledge/search", { query: "olives" })
      expect(found).toMatchObject({
        status: 200,
        body: { data: [{ content: olives.text_content, name: "olives", content_id: id }], meta: page(20, 1) },
      })
      expect((await ask(os(), "POST /knowledge/search", { query: "grapes" })).body).toMatchObject({ data: [] })
      const renamed = await asForm(`PATCH /knowledge/content/${id}`, { name: "trees" })
      expect(renamed).toMatchObject({ status: 200, body: { id, name: "trees", description: "d" } })
      expect(await ask(os(), `DELETE /knowledge/content/${id}`)).toMatchObject({ status: 200, body: { id } })
      expect((await ask(os(), `GET /knowledge/content/${id}`)).status).toBe(404)
      expect((await ask(os(), "POST /knowledge/search", { query: "olives" })).body).toMatchObject({ data: [] })
    })

    test("knowledge: all of it is removed at once", async () => {
      for (const name of ["a", "b"]) await settled(await added({ name, text_content: `The text of ${name}.` }))

      const answer = await ask(os(), "DELETE /knowledge/content")

      expect(answer.status).toBe(200)
      expect((await ask(os(), "GET /knowledge/content")).body).toEqual({ data: [], meta: page(20, 0) })
    })

    test("knowledge: what is not there, and what cannot be taken", async () => {
      expect((await ask(os(), "GET /knowledge/content/none")).status).toBe(404)
      expect((await asForm("POST /knowledge/content", { name: "empty" })).status).toBe(400)
      expect((await ask(os(), "POST /knowledge/search", {})).status).toBe(422)
      expect((await asForm("POST /knowledge/remote-content", { config_id: "none", path: "x" })).status).toBe(400)
      expect((await asForm("POST /knowledge/remote-content", {})).status).toBe(422)
      expect((await ask(os(), "GET /knowledge/none/sources")).status).toBe(404)
      expect((await ask(os(), "GET /knowledge/none/sources/none/files")).status).toBe(404)
    })

    test("knowledge: its config names readers and chunkers", async () => {
      const { status, body } = await ask(os(), "GET /knowledge/config")

      expect(status).toBe(200)
      expect(body).toMatchObject({
        readers: expect.any(Object) as object,
        chunkers: expect.any(Object) as object,
        filters: expect.any(Array) as object,
      })
    })

    test("knowledge: a search by vectors is refused where there are only words", async () => {
      const { status } = await ask(os(), "POST /knowledge/search", { query: "olives", search_type: "vector" })

      expect(status).toBe(pick({ embedded: 400, v2: 200, v3: 200 }))
    })
  },
  TODAYS,
  { knowledge: true },
)
