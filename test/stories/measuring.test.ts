// Metrics, traces and log lines of the real wiring: what an operator sees of what happened.
import { createServer } from "node:http"
import { expect, it } from "vitest"
import { onLoopback } from "../support/on-loopback.ts"
import { opened } from "../support/opened.ts"
import { alarms, ask, card, decided, operate, placed, press, settled, told, until } from "./acts.ts"
import { sandboxCast, startWorld, type World, type WorldOptions } from "./world.ts"

async function aWorld(options: WorldOptions = {}): Promise<World> {
  return opened(startWorld(options))
}

async function scrape(world: World): Promise<string> {
  const response = await fetch(`${world.bot.url}/metrics`)
  expect(response.status).toBe(200)
  return response.text()
}

/** The value of one series; 0 if it is not there. */
function valueOf(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

it("/metrics tells what waits, what was decided, and what was called for it", async () => {
  const world = await aWorld()
  const row = await ask(world)
  const on = await card(world)
  const waiting = await until("the card to be counted", async () => {
    const text = await scrape(world)
    return valueOf(text, "countersign_time_to_card_seconds_count") === 1 ? text : undefined
  })
  await press(world, sandboxCast.rita, on, "approve")
  await told(world, sandboxCast.rita, "not one of the approvers")
  await press(world, sandboxCast.alice, on, "approve")
  await decided(world, row.id)
  await settled(world, "delete_user_data")

  const text = await until("nothing to wait, and both presses to be over", async () => {
    const now = await scrape(world)
    const presses = valueOf(now, 'countersign_steps_total{step="decide",result="ok"}')
    return valueOf(now, "countersign_cases_pending") === 0 && presses === 2 ? now : undefined
  })

  expect(valueOf(waiting, "countersign_cases_pending")).toBe(1)
  expect(valueOf(text, "countersign_cases_oldest_age_seconds")).toBe(0)
  expect(valueOf(text, 'countersign_cases_opened_total{platform="main"}')).toBe(1)
  expect(valueOf(text, 'countersign_votes_total{verb="approve"}')).toBe(1)
  expect(valueOf(text, 'countersign_refusals_total{reason="not-approver"}')).toBe(1)
  expect(valueOf(text, 'countersign_decisions_total{verb="approve"}')).toBe(1)
  expect(valueOf(text, 'countersign_time_to_decision_seconds_count{verb="approve"}')).toBe(1)
  expect(valueOf(text, 'countersign_outcomes_total{outcome="resolved"}')).toBe(1)
  expect(valueOf(text, 'countersign_polls_total{platform="main",result="ok"}')).toBeGreaterThan(0)
  const resolves =
    'countersign_platform_calls_total{platform="main",method="POST /approvals/{id}/resolve",result="200"}'
  expect(valueOf(text, resolves)).toBe(1)
  expect(valueOf(text, 'countersign_slack_calls_total{method="chat.postMessage",result="ok"}')).toBeGreaterThan(0)
  expect(valueOf(text, 'countersign_slack_calls_total{method="response_url",result="ok"}')).toBeGreaterThan(0)
  expect(valueOf(text, "countersign_config_active")).toBe(1)
  expect(valueOf(text, "countersign_store_up")).toBe(1)
  expect(text).toMatch(/countersign_config_info\{revision="[0-9a-f]{12}"\} 1/)
})

it("the platform's failures, polls that fail and alarms are counted by their words", async () => {
  const world = await aWorld({
    rules: `\n  - {name: none, match: {tool: other}, routes: [${sandboxCast.approvals}], approvers: [${sandboxCast.approvers}], unknown_requester: allow}`,
  })
  world.proxy.fail({
    method: "GET",
    path: /\/approvals$/,
    times: 2,
    fault: { kind: "answer", status: 503, body: { detail: "down" } },
  })
  await ask(world)
  await until("the alarm", () => (alarms(world).includes("no-rule") ? true : undefined))

  const text = await scrape(world)

  expect(valueOf(text, 'countersign_alarms_total{code="no-rule"}')).toBe(1)
  expect(valueOf(text, 'countersign_platform_calls_total{platform="main",method="GET /approvals",result="503"}')).toBe(
    2,
  )
  expect(text).toMatch(/countersign_polls_total\{platform="main",result="[a-z-]+"\} [1-9]/)
})

/** All labels in a scrape but the bounds of histograms: what of the world makes series. */
function labelsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/\b(?!le=)[a-z]+="[^"]*"/g))
}

it("agents' names and tools make no series, however many there are", async () => {
  const world = await aWorld()
  await ask(world, { tool_name: "first" })
  const before = await until("the first to be shown", async () => {
    const text = await scrape(world)
    return valueOf(text, 'countersign_steps_total{step="present",result="ok"}') > 0 ? text : undefined
  })
  const names = Array.from({ length: 12 }, (_, index) => `evil-${index}"} 1\n`)
  for (const name of names) await ask(world, { tool_name: name, agent_id: name, user_id: `${name}@x` })
  const after = await until("all to be opened", async () => {
    const text = await scrape(world)
    return valueOf(text, "countersign_cases_pending") === 13 ? text : undefined
  })

  expect(after).not.toContain("evil")
  // A method of Slack may be called for the first time, but not one for each name.
  const added = [...labelsOf(after)].filter((label) => !labelsOf(before).has(label))
  expect(added.length).toBeLessThan(names.length)
})

it("every line about a case carries its id, and from the decision on the decision's", async () => {
  const world = await aWorld()
  const row = await ask(world)
  await press(world, sandboxCast.alice, await card(world), "approve")
  await decided(world, row.id)

  const lines = await until("the end to be logged", () => {
    const found = world.log.filter((line) => line["event"] === "case")
    return found.some((line) => line["kind"] === "resolved") ? found : undefined
  })

  const opened = lines.find((line) => line["kind"] === "opened")
  const resolved = lines.find((line) => line["kind"] === "resolved")
  expect(opened?.["caseId"]).toMatch(/^[0-9a-f]{20}$/)
  expect(new Set(lines.map((line) => line["caseId"])).size).toBe(1)
  expect(resolved?.["decision"]).toMatch(/^[0-9a-f]+$/)
  expect(lines.find((line) => line["kind"] === "decided")?.["decision"]).toBe(resolved?.["decision"])
})

/** A collector of OTLP over HTTP, as JSON, that keeps what it got. */
async function aCollector(): Promise<{ readonly url: string; readonly spans: Span[]; close(): Promise<void> }> {
  const spans: Span[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Export
      if (request.url === "/v1/traces")
        for (const resource of body.resourceSpans) for (const scope of resource.scopeSpans) spans.push(...scope.spans)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  return { ...(await onLoopback(server)), spans }
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[]
}

function factOf(span: Span | undefined, key: string): string | undefined {
  return span?.attributes.find((one) => one.key === `countersign.${key}`)?.value.stringValue
}

it("with a collector each step of a case is a trace, and the platform's call stands inside it", async () => {
  const collector = await opened(aCollector())
  const world = await aWorld({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` } })
  const row = await ask(world)
  const seen = await card(world)
  await placed(world)
  await press(world, sandboxCast.alice, seen, "approve")
  await decided(world, row.id)
  await world.bot.close()

  const step = collector.spans.find((span) => span.name === "decide")
  const call = collector.spans.find((span) => span.name === "platform POST /approvals/{id}/resolve")

  expect(factOf(step, "case")).toMatch(/^[0-9a-f]{20}$/)
  expect(factOf(step, "decision")).toMatch(/^[0-9a-f]+$/)
  expect(step?.parentSpanId ?? "").toBe("")
  expect(call).toMatchObject({ traceId: step?.traceId, parentSpanId: step?.spanId })
  expect(factOf(call, "result")).toBe("200")
  const names = new Set(collector.spans.map((span) => span.name))
  expect([...names]).toEqual(expect.arrayContaining(["announce", "present", "slack chat.postMessage"]))
  const announce = collector.spans.find((span) => span.name === "announce")
  expect(announce?.traceId).not.toBe(step?.traceId)
  expect(JSON.stringify(collector.spans)).not.toContain("U-100")
})

it("a collector that is away costs nothing but its spans, and does not hold up the end", async () => {
  const collector = await aCollector()
  await collector.close()
  const world = await aWorld({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
  const row = await ask(world)
  await press(world, sandboxCast.alice, await card(world), "approve")

  expect((await decided(world, row.id)).status).toBe("approved")
  const began = Date.now()
  await world.bot.close()
  expect(Date.now() - began).toBeLessThan(8_000)
  expect((await operate(world, `GET /approvals/${row.id}`)).status).toBe(200)
})

it.each([
  ["this machine", ""],
  ["anywhere", ", metrics: anywhere"],
])(
  "in HTTP mode, where Slack gets in, /metrics for %s is not there without a token, and the log says so",
  async (_, http) => {
    const world = await aWorld({ mode: "http", http })

    const response = await fetch(`${world.bot.url}/metrics`)

    expect(response.status).toBe(404)
    expect(world.log).toContainEqual(
      expect.objectContaining({
        event: "metrics-not-served",
        todo: expect.stringContaining("http.metrics_token") as string,
      }),
    )
  },
)

it("in HTTP mode /metrics is for the bearer of the token", async () => {
  const world = await aWorld({ mode: "http", http: ', metrics_token: "${METRICS}"', env: { METRICS: "m".repeat(16) } })
  const ask = (authorization: string) => fetch(`${world.bot.url}/metrics`, { headers: { authorization } })

  const [right, wrong] = await Promise.all([ask(`Bearer ${"m".repeat(16)}`), ask(`Bearer ${"m".repeat(17)}`)])

  expect(right.status).toBe(200)
  expect(wrong.status).toBe(401)
  expect(wrong.headers.get("www-authenticate")).toBe("Bearer")
})
