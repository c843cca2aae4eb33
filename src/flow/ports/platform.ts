// The client of one instance, as the flow needs it.
import type { Case } from "../../domain/case/case.ts"
import type { Explicit } from "../../domain/case/ruling.ts"
import type { Approval } from "../../domain/content/approval.ts"
import type { Json, JsonObject } from "../../domain/content/json.ts"
import type { Run, RunAddress } from "../../domain/content/run.ts"
import type { Trace } from "../../domain/content/surroundings.ts"
import type { SharedConfig, SharedInstance } from "../../domain/policy/shared-config.ts"
import type { RulesChange } from "../../domain/rule/rules-change.ts"
import { FlowError } from "./error.ts"

/** An item of a list that we cannot read, and why. We still read the other items. */
export interface Unreadable {
  readonly id: string | null
  readonly why: string
}

/** An approval as the list of pending ones has it: what a poll compares, and a way to read the whole approval. */
export interface Listed extends Trace {
  readonly agentId: string | null
  /** The status of its run, as the row gives it in the platform's own word. */
  readonly runStatus: string | null
  /** The digest of its content (`digestOf`). */
  readonly digest: string
  /** Reads the whole approval. Works only while the page is at hand. */
  read(): Approval
}

/** One page of pending approvals, newest first, and the items of the page that we cannot read. */
export interface Page {
  readonly approvals: readonly Listed[]
  readonly unreadable: readonly Unreadable[]
}

/** One page of audit rows, in the same way. */
export interface AuditPage {
  readonly approvals: readonly Approval[]
  readonly unreadable: readonly Unreadable[]
}

/**
 * How a resolve went. `refused` is definite (403, 404, 422: no effect). `later`: after a 401 or 429; `barred` if our
 * own credential was refused. `unsigned`: we sent nothing, because there was no credential. `held-back`: we sent
 * nothing, because `mayLeave` said no. After a throw nobody knows.
 */
export type Resolved =
  | { readonly kind: "row"; readonly approval: Approval }
  | { readonly kind: "conflict"; readonly detail: string }
  | { readonly kind: "refused"; readonly status: 403 | 404 | 422; readonly detail: string }
  | { readonly kind: "later"; readonly status: number; readonly detail: string; readonly barred: boolean }
  | { readonly kind: "unsigned"; readonly why: string }
  | { readonly kind: "held-back" }

/** Asked when a request has its connection and is about to leave: false keeps it here. It must not wait. */
export type MayLeave = () => boolean

/** The person whose decision a resolve carries, and the decision's id. We sign a delegated credential for both. */
export interface Principal {
  readonly subject: string
  readonly decision: string
}

/** A run as its session describes it. */
export interface SessionRun {
  readonly runId: string
  readonly parentRunId: string | null
  readonly agentId: string | null
  readonly teamId: string | null
  readonly workflowId: string | null
  readonly status: string
  /** What the run was started with: a text, or a program's value; null if the platform does not say. */
  readonly input: Json
  readonly tools: readonly JsonObject[]
  /** The name of the step at which a workflow waits; else null. */
  readonly pausedStep: string | null
  /** The runs of a workflow's steps. */
  readonly steps: readonly RunStep[]
}

/** The run of a workflow's step. */
export interface RunStep {
  readonly runId: string
  readonly tools: readonly JsonObject[]
}

/** A session of the list, and when it last changed (epoch ms; null if the platform does not say). */
export interface ChangedSession {
  readonly sessionId: string
  readonly changedAt: number | null
}

/** What an instance says about itself. */
export interface Capabilities {
  /** True if it promises that a rejected call of any kind never runs (R12). */
  readonly enforcesRejection: boolean
  /** The version of AgentOS, or null if it names none. */
  readonly version: string | null
}

/** The client of one instance. Throws `PlatformError` (a `PortError`) for time-outs, resets, 5xx and non-JSON. */
export interface Platform {
  /** Yields the pending approvals page by page, each approval once, even if new ones arrive meanwhile. */
  pending(): AsyncIterable<Page>
  /** The newest approved approvals, at most 100, without those that we cannot read. */
  approved(): Promise<readonly Approval[]>
  /** The newest rejected approvals, in the same way. */
  rejected(): Promise<readonly Approval[]>
  /** The ids of the newest approvals in any status, at most 100. */
  newest(): Promise<readonly string[]>
  /** Yields the audit rows page by page, newest first, each row once. */
  audits(): AsyncIterable<AuditPage>
  /** The runs of a session; null if the credential may not read them. */
  session(sessionId: string): Promise<readonly SessionRun[] | null>
  /** A page (from 1) of all sessions, the last changed first; null if the credential may not read them. */
  changedSessions(page: number): Promise<readonly ChangedSession[] | null>
  /** The approvals of a run in any status, newest first, at most 100. */
  ofRun(runId: string): Promise<readonly Approval[]>
  /** What the instance says about itself, at most a minute old. */
  capabilities(): Promise<Capabilities>
  /** How long its process has been running, by its own clock, in ms; null if it does not say. */
  upForMs(): Promise<number | null>
  /** How many approvals are pending. */
  count(): Promise<number>
  /** The record, or null on 404 (we believe a 404 only when it is repeated). */
  get(approvalId: string): Promise<Approval | null>
  /** The short form of the record, which the platform gives even for rows that `get` cannot read; null on 404. */
  status(approvalId: string): Promise<{ readonly status: string; readonly resolvedBy: string | null } | null>
  /** True if each resolve goes out under the human's own subject, which the platform then must know. */
  readonly delegated: boolean
  /** Sends the exact body once and never repeats it; if `delegated`, under a credential for this principal. */
  resolve(approvalId: string, body: string, principal: Principal, mayLeave: MayLeave): Promise<Resolved>
}

/** What the operator chose for an instance. */
export interface Conduct
  extends Pick<SharedInstance, "resume" | "rejectUserInput" | "besideAgnoSlack" | "receiptLifeMs"> {
  /** How long a continue may take before we ask the run how it ended, in ms. */
  readonly resumeMs: number
  /** How often we poll the instance, in ms. */
  readonly pollMs: number
  /** How long one call may take once it has a connection, in ms. It may wait twice as long for a connection. */
  readonly timeoutMs: number
}

/**
 * How a continue went. `held-back`: `mayLeave` said no, and nothing was sent. `refused`: certainly without effect.
 * `unsure`, or after a throw: only the run can tell.
 */
export type Continued =
  | { readonly kind: "run"; readonly run: Run }
  | { readonly kind: "accepted" }
  | { readonly kind: "held-back" }
  /** The durable queue owns the run: it did nothing, and asks for `background=true`. */
  | { readonly kind: "queued"; readonly detail: string }
  | { readonly kind: "refused"; readonly status: number; readonly detail: string }
  | { readonly kind: "unsure"; readonly status: number; readonly detail: string }

/** The run to which another run belongs: a team's for a member's run, a workflow's for all that the workflow began. */
export interface ParentRun extends Pick<RunAddress, "component" | "runId"> {
  readonly runner: "teams" | "workflows"
  /** True for a guess; absent if the session says that this run holds the other. */
  readonly guessed?: true
}

/** Runs of one instance. Throws `PlatformError` (a `PortError`) as `Platform` does. */
export interface Runs {
  /** The run as its component has it, or null on 404 (we believe a 404 only when it is repeated). */
  read(address: RunAddress): Promise<Run | null>
  /** The run to which another run belongs, or guesses; empty if there is none. Null if there is no such session. */
  parentsOf(sessionId: string, runId: string): Promise<readonly ParentRun[] | null>
  /** Sends one continue with `stream=false` and waits for its answer. Never repeats it. */
  continue(
    address: RunAddress,
    form: { readonly explicit: Explicit; readonly background: boolean },
    mayLeave: MayLeave,
  ): Promise<Continued>
}

/** Keeps, for all replicas, in which case's name we continue a run (R10, trap 54). Throws `StoreError`. */
export interface Continues {
  /** Takes all these decisions in the name of a case, or none. True also if the case has taken them already. */
  take(decisions: readonly string[], caseId: string): Promise<boolean>
  /** The case that took a decision, or null. */
  takenBy(decision: string): Promise<string | null>
}

/** What a proposed config says about who approves the next one. */
export interface ProposedConfig extends Pick<SharedConfig, "identities"> {
  /** Null: nobody has to. */
  readonly rulesChange: RulesChange | null
}

/** The configs behind the approvals of the built-in instance. */
export interface ProposedConfigs {
  /** The config of a proposal; null if it is not there any more. Throws `StoreError`. */
  read(approvalId: string): Promise<ProposedConfig | null>
}

/** The instances of the active config that this replica may reach, and what the operator chose for each. */
export interface Instances {
  readonly platforms: ReadonlyMap<string, Platform>
  readonly conduct: ReadonlyMap<string, Conduct>
}

/** The client of a case's instance. Throws `FlowError` if only another replica may reach it (R16). */
export function platformOf(
  { platforms, conduct }: Instances,
  { id, instance }: Pick<Case, "id" | "instance">,
): Platform {
  const platform = platforms.get(instance)
  if (platform !== undefined) return platform
  if (conduct.has(instance)) throw new FlowError("instance-elsewhere", id)
  throw new Error(`no instance "${instance}" in the config, but a case of it is open`)
}
