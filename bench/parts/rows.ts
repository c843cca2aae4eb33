// Approvals as the platform lists them: rows of the size and shape that AgentOS sends.

/** A row of `GET /approvals` (specification 2.1), about 1 kB. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: string }

/** The `at`-th approval; `tool` says which rule it falls under. Times are epoch seconds. */
export function aRow(at: number, createdAt: number, tool = "send_refund"): Row {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`
  const args = {
    order: `order-${at}`,
    amount: 129.5,
    currency: "EUR",
    reason: "The parcel arrived broken and the customer sent pictures of it.",
  }
  const execution = {
    tool_call_id: `call-${at}`,
    tool_name: tool,
    tool_args: args,
    requires_confirmation: true,
    confirmed: null,
  }
  return {
    id,
    run_id: `run-${at}`,
    session_id: `session-${at}`,
    status: "pending",
    source_type: "agent",
    approval_type: "required",
    pause_type: "confirmation",
    tool_name: tool,
    tool_args: args,
    expires_at: null,
    agent_id: "support-agent",
    team_id: null,
    workflow_id: null,
    user_id: "carol@sandbox.example",
    schedule_id: null,
    schedule_run_id: null,
    source_name: "Support agent",
    requirements: [{ id: `requirement-${at}`, created_at: createdAt, tool_execution: execution }],
    context: null,
    resolution_data: null,
    resolved_by: null,
    resolved_at: null,
    created_at: createdAt,
    updated_at: createdAt,
    run_status: "PAUSED",
  }
}
