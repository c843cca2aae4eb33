// The deprecated A2A dispatch routes (4.4): the target comes from the message, and its own run scope is checked once
// more.

import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import { createScopeSet } from "../../../src/auth/scopes.ts"
import { dispatch, type TargetFamily } from "../../../src/service/a2a/a2a-dispatch.ts"
import type { CallerStanding } from "../../../src/service/gate/standings.ts"
import { answer } from "../../../src/service/wire/reply.ts"

const served: Readonly<Record<string, TargetFamily>> = { a: "agents", t: "teams", w: "workflows" }

type Ask = { readonly target?: string; readonly header?: string; readonly upstream?: boolean; readonly raw?: string }

async function ask(scopes: readonly string[], { target, header, upstream, raw }: Ask) {
  const standing: CallerStanding = {
    caller: { kind: "jwt", subject: null, scopes },
    scopes: createScopeSet(scopes),
    enforced: true,
    owner: null,
  }
  const app = new Hono().post("*", async (context) => {
    const forward = upstream === true ? async (body?: Uint8Array) => answer({ sentOn: body?.byteLength }) : null
    const body = new Uint8Array(await context.req.arrayBuffer())
    const answered = await dispatch(
      { context, ids: [], standing, forward, query: null, body, found: null },
      {
        familyOf: (id) => served[id] ?? null,
        serve: ({ family, id }) => answer({ family, id }),
      },
    )
    return answered instanceof Response ? answered : new Response(answered.text, { status: answered.status })
  })
  const message = target === undefined ? {} : { agentId: target }
  const response = await app.request("/a2a/message/send", {
    method: "POST",
    body: raw ?? JSON.stringify({ params: { message } }),
    headers: header === undefined ? {} : { "X-Agent-ID": header },
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

describe("the target", () => {
  test.each<[string, Ask, number]>([
    ["is params.message.agentId", { target: "a" }, 200],
    ["else the header X-Agent-ID", { header: "a" }, 200],
    ["else the header, for a body that is no JSON, too", { raw: "{", header: "a" }, 200],
    ["is the message's, not the header's", { target: "a", header: "t" }, 200],
    ["is missing", {}, 400],
    ["is empty", { target: "", header: "" }, 400],
    ["is no text", { raw: '{"params":{"message":{"agentId":7}}}' }, 400],
  ])("the target %s: %j is answered with %s", async (_name, request, status) => {
    expect((await ask(["agents:run"], request)).status).toBe(status)
  })

  test("is known to nobody: 404", async () => {
    expect((await ask(["agents:run", "teams:run", "workflows:run"], { target: "?" })).status).toBe(404)
  })
})

describe("the run scope of the target's own type", () => {
  test.each<[string, string[], number]>([
    ["a", ["agents:run"], 200],
    ["t", ["agents:run"], 403],
    ["t", ["agents:run", "teams:run"], 200],
    ["t", ["agents:run", "teams:t:run"], 200],
    ["t", ["agents:run", "teams:other:run"], 403],
    ["w", ["agents:run", "teams:run"], 403],
    ["w", ["agents:run", "workflows:run"], 200],
    ["w", ["service:admin"], 200],
  ])("the run scope of the target's own type is asked for: %s with %j is %i", async (target, scopes, status) => {
    expect((await ask(scopes, { target })).status).toBe(status)
  })

  test("is named in the refusal", async () => {
    expect((await ask(["agents:run"], { target: "t" })).body).toEqual({
      detail: "Insufficient permissions. Required scope(s): teams:run",
    })
  })
})

describe("a target that only an upstream knows", () => {
  test("needs all three run scopes", async () => {
    const all = ["agents:run", "teams:run", "workflows:run"]

    expect((await ask(all, { target: "?", upstream: true })).status).toBe(200)
    for (const lacking of all) {
      const scopes = all.filter((scope) => scope !== lacking)
      expect(await ask(scopes, { target: "?", upstream: true })).toMatchObject({
        status: 403,
        body: { detail: "Insufficient permissions. Required scope(s): agents:run, teams:run, workflows:run" },
      })
    }
  })

  test("gets the body as it came", async () => {
    const raw = '{"params": {"message": {"agentId": "?"}}}'

    expect((await ask(["service:admin"], { raw, upstream: true })).body).toEqual({ sentOn: raw.length })
  })
})

describe("an envelope for a target that only an upstream knows", () => {
  const runs = ["agents:run", "teams:run", "workflows:run"]
  const reads = ["agents:read", "teams:read", "workflows:read"]
  const asking = (method: unknown) => ({
    raw: JSON.stringify({ method, params: { message: { agentId: "?" } } }),
    upstream: true,
  })

  test.each<[unknown, readonly string[], number]>([
    ["message/send", runs, 200],
    ["tasks/cancel", runs, 200],
    [null, runs, 200],
    ["tasks/get", runs, 403],
    ["tasks/get", [...runs, "agents:read", "teams:read"], 403],
    ["tasks/get", [...runs, ...reads], 200],
    ["tasks/new", runs, 403],
    [7, runs, 403],
  ])(
    "an envelope for a target that only an upstream knows is judged by its scopes: %j with %j is %i",
    async (method, scopes, status) => {
      expect((await ask(scopes, asking(method))).status).toBe(status)
    },
  )

  test("an envelope that cannot be read does not leave for the upstream", async () => {
    expect(await ask(runs, { raw: "{", header: "?", upstream: true })).toMatchObject({
      status: 400,
      body: { detail: "The body is no JSON object" },
    })
  })
})
