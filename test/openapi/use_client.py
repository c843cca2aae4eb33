"""Uses a client that was generated from the interface description, once for each family of routes.

use_client.py URL TOKEN, with the package `client` on the path. Prints one line of JSON: for each family the types that came back.
"""

import io
import json
import sys
from importlib import import_module

from client import AuthenticatedClient, models
from client.types import File

url, token = sys.argv[1:]
api = AuthenticatedClient(base_url=url, token=token)
seen: dict = {}


def call(place: str, *args, **kwargs):
    """Calls an operation, by its module, and gives what was parsed; None for an answer without a body."""
    family = place.split(".")[0]
    answer = import_module(f"client.api.{place}").sync_detailed(*args, client=api, **kwargs)
    kind = type(answer.parsed).__name__ if answer.parsed is not None else str(int(answer.status_code))
    seen.setdefault(family, []).append(kind)
    return answer.parsed


def approvals():
    asked = models.ApprovalCreate.from_dict({"tool_name": "pay", "tool_args": {"cents": 5}})
    row = call("approvals.create_approval_approvals_post", body=asked)
    call("approvals.list_approvals_approvals_get", user_id="ann")
    call("approvals.get_approval_count_approvals_count_get")
    call("approvals.get_approval_status_approvals_approval_id_status_get", row.id)
    verdict = models.ApprovalResolve.from_dict({"status": "rejected", "resolved_by": "ann"})
    call("approvals.resolve_approval_approvals_approval_id_resolve_post", row.id, body=verdict)
    call("approvals.get_approval_approvals_approval_id_get", row.id)
    call("approvals.delete_approval_approvals_approval_id_delete", row.id)
    call("approvals.get_approval_approvals_approval_id_get", row.id)


def runs(kind: str, component: str):
    family = f"{kind}s"
    call(f"{family}.get_{family}")
    call(f"{family}.get_{kind}", component)
    start = models.RunStart(message="delete it", stream=False, session_id=f"of-{kind}")
    run = call(f"{family}.create_{kind}_run", component, body=start)
    call(f"{family}.get_{kind}_run", component, run.run_id)
    call(f"{family}.list_{kind}_runs", component, session_id=run.session_id)
    go_on = models.RunContinue(session_id=run.session_id, stream=False)
    call(f"{family}.continue_{kind}_run", component, run.run_id, body=go_on)
    call(f"{family}.cancel_{kind}_run", component, run.run_id)


def sessions():
    call("sessions.create_session", body=models.SessionCreate(session_id="s-1", session_name="One"))
    call("sessions.get_sessions", user_id="ann")
    call("sessions.rename_session", "s-1", body=models.SessionRename(session_name="Two"))
    call("sessions.update_session", "s-1", body=models.SessionUpdate(session_name="Three"))
    call("sessions.get_session_by_id", "s-1")
    call("sessions.get_session_runs", "of-agent")
    call("sessions.delete_session", "s-1")


def memory():
    made = call("memory.create_memory", body=models.MemoryCreate(memory="likes tea", user_id="ann", topics=["tea"]))
    call("memory.get_memories", user_id="ann")
    call("memory.get_memory_topics")
    call("memory.get_user_memory_stats")
    call("memory.update_memory", made.memory_id, body=models.MemoryUpdate(memory="likes coffee"))
    call("memory.optimize_memories", body=models.MemoriesOptimize(user_id="ann"))
    call("memory.delete_memory", made.memory_id)


def learnings():
    wish = {"learning_type": "user_profile", "content": {"likes": "tea"}, "user_id": "ann"}
    made = call("learnings.create_learning", body=models.LearningCreate.from_dict(wish))
    call("learnings.list_learnings", user_id="ann")
    call("learnings.get_learning", made.learning_id)
    call("learnings.create_learning", body=models.LearningCreate.from_dict(wish))
    call("learnings.delete_learning", made.learning_id)


def evals():
    wish = {"agent_id": "support-member", "eval_type": "reliability", "input": "look", "expected_tool_calls": ["look_up"]}
    made = call("evals.run_eval", body=models.EvalRunCreate.from_dict(wish))
    call("evals.get_eval_runs", eval_types="reliability")
    call("evals.update_eval_run", made.id, body=models.EvalRunUpdate(name="Renamed"))
    call("evals.delete_eval_runs", body=models.EvalRunRemoval(eval_run_ids=[made.id]))


def traces():
    page = call("traces.get_traces")
    call("traces.get_trace", page.data[0].trace_id)
    call("traces.get_trace_stats")
    call("traces.search_traces", body=models.TraceSearch())


def metrics():
    call("metrics.refresh_metrics")
    call("metrics.get_metrics")


def knowledge():
    text = File(payload=io.BytesIO(b"Olives grow in Liguria."), file_name="olives.txt", mime_type="text/plain")
    made = call("knowledge.upload_content", body=models.KnowledgeContentCreate(name="Olives", file=text))
    call("knowledge.get_content")
    found = call("knowledge.search_knowledge", body=models.KnowledgeSearch(query="olives"))
    assert [one.content for one in found.data] == ["Olives grow in Liguria."], found
    call("knowledge.update_content", made.id, body=models.KnowledgeContentUpdate(name="Renamed"))
    call("knowledge.get_knowledge_config")
    call("knowledge.delete_content_by_id", made.id)


def components():
    wish = {"name": "Clerk", "component_id": "clerk", "component_type": "agent", "config": {}}
    call("components.create_component", body=models.CatalogComponentCreate.from_dict(wish))
    call("components.list_components")
    call("components.get_component", "clerk")
    call("components.get_component_config", "clerk", 1)
    published = models.ComponentConfigUpdate.from_dict({"stage": "published"})
    call("components.update_config", "clerk", 1, body=published)
    call("components.set_current_config", "clerk", 1, body=models.ComponentSetCurrent())
    call("components.get_current_config", "clerk")
    call("components.list_configs", "clerk")
    call("components.delete_component", "clerk", body=models.ComponentSetCurrent())


def schedules():
    wish = {"name": "daily", "cron_expr": "0 3 * * *", "endpoint": "/agents/support-member/runs"}
    made = call("schedules.create_schedule", body=models.ScheduleCreate.from_dict(wish))
    call("schedules.disable_schedule", made.id)
    call("schedules.enable_schedule", made.id)
    call("schedules.list_schedule_runs", made.id)
    call("schedules.list_schedules")
    call("schedules.create_schedule", body=models.ScheduleCreate.from_dict({**wish, "cron_expr": "nonsense"}))
    call("schedules.delete_schedule", made.id)


def service_accounts():
    wish = models.ServiceAccountCreate.from_dict({"name": "reader", "scopes": [{"scope": "agents:read"}]})
    made = call("service_accounts.create_service_account_service_accounts_post", body=wish)
    call("service_accounts.list_service_accounts_service_accounts_get")
    call("service_accounts.revoke_service_account_service_accounts_service_account_id_delete", made.id)


def instance():
    call("config.get_config")
    call("config.get_models")
    call("registry.list_registry")
    call("database.migrate_all_databases")
    call("health.health_check")
    call("core.get_info")


def a2a():
    call("a2a.get_agent_card", "support-member")
    said = {"messageId": "m-1", "role": "user", "parts": [{"kind": "text", "text": "look"}]}
    envelope = models.A2ARequest.from_dict({"jsonrpc": "2.0", "id": 1, "params": {"message": said}})
    task = call("a2a.run_message_agent", "support-member", body=envelope).additional_properties["result"]
    asked = models.A2ARequest.from_dict({"jsonrpc": "2.0", "id": 2, "params": {"id": task["id"]}})
    call("a2a.get_agent_task", "support-member", body=asked)
    nothing = models.A2ARequest.from_dict({"jsonrpc": "2.0", "id": 3, "params": {"id": "nothing"}})
    call("a2a.get_agent_task", "support-member", body=nothing)


approvals()
runs("agent", "support-member")
runs("team", "support-team")
runs("workflow", "month-end")
for family in [sessions, memory, learnings, evals, traces, metrics, knowledge, components, schedules]:
    family()
service_accounts()
instance()
a2a()
print(json.dumps({family: " ".join(kinds) for family, kinds in seen.items()}))
