// Traces by OpenTelemetry's own packages: spans are kept in memory, and sent in batches as OTLP over HTTP.
import { AsyncLocalStorage } from "node:async_hooks"
import { ROOT_CONTEXT, type Span, SpanStatusCode, trace } from "@opentelemetry/api"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { isPortError } from "../flow/ports.ts"
import type { Log } from "../log.ts"
import type { Facts, Traces } from "./traces.ts"

/** How long the collector may take for one batch, and how long we try to send the last one, in ms. */
const sendMs = 2_000

/** Begins to send. If a collector does not answer, its spans are lost; nothing else happens. */
export function startExport(options: {
  readonly endpoint: string
  readonly installation: string
  readonly log: Log
}): Traces {
  const url = `${options.endpoint.replace(/\/+$/, "")}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: sendMs })
  const batches = new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000, exportTimeoutMillis: sendMs })
  const names = { "service.name": "countersign", "service.namespace": options.installation }
  const provider = new TracerProvider({ resource: resourceFromAttributes(names), spanProcessors: [batches] })
  const tracer = provider.getTracer("countersign")
  const running = new AsyncLocalStorage<Span>()
  const spanned = <T>(name: string, facts: Facts, run: () => Promise<T>): Promise<T> => {
    const above = running.getStore()
    const context = above === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, above)
    const span = tracer.startSpan(name, { attributes: attributesOf(facts) }, context)
    return running.run(span, () => ending(span, run))
  }
  return {
    step: spanned,
    inside: (name, facts, run) => (running.getStore() === undefined ? run() : spanned(name, facts, run)),
    note: (facts) => void running.getStore()?.setAttributes(attributesOf(facts)),
    close: () => closing(provider, options.log),
  }
}

async function ending<T>(span: Span, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    // The message may quote what an agent wrote; the code is our own.
    span.setStatus({ code: SpanStatusCode.ERROR, message: isPortError(error) ? error.code : "failed" })
    throw error
  } finally {
    span.end()
  }
}

function attributesOf(facts: Facts) {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [`countersign.${name}`, fact]))
}

/** Ends the sending. Without a collector, it would wait for each try to send the last batch. */
async function closing(provider: TracerProvider, log: Log): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, sendMs)
  const done = provider.shutdown().catch((error: unknown) => log.warn("traces-not-sent", { error }))
  await Promise.race([done, late.promise])
  clearTimeout(timer)
}
