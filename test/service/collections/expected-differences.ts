// Where the shapes of described resources differ from those of AgentOS 3.1.10 on purpose, and why: `+` only here, `-` only
// there.

/** Differences by the key of their route. */
export const expected: Readonly<Record<string, readonly string[]>> = {
  // It answers with the id, as AgentOS does, whose model has fields that it leaves out.
  "DELETE /knowledge/content/*": [
    "-answer access_count",
    "-answer created_at",
    "-answer description",
    "-answer linked_to",
    "-answer metadata",
    "-answer name",
    "-answer size",
    "-answer status",
    "-answer status_message",
    "-answer type",
    "-answer updated_at",
  ],
  // Nothing is archived here. Every list can be ordered.
  "GET /components": ["+query sort_by", "+query sort_order", "-answer data[].deleted_at", "-query include_deleted"],
  // Nothing is archived here.
  "GET /components/*": ["-answer deleted_at", "-query include_deleted"],
  // There are no vectors here.
  "GET /knowledge/config": [
    "+answer vector_dbs[]",
    "-answer vector_dbs[].description",
    "-answer vector_dbs[].id",
    "-answer vector_dbs[].name",
    "-answer vector_dbs[].search_types",
    "-answer vector_dbs[].search_types[]",
  ],
  // Contents have no parents here.
  "GET /knowledge/content": ["-query parent_id"],
  // What a model has is told, not only that it is an object.
  "GET /metrics": [
    "+answer metrics[].model_metrics[].count",
    "+answer metrics[].model_metrics[].model_id",
    "+answer metrics[].model_metrics[].model_provider",
    "-answer metrics[].model_metrics[]",
  ],
  // Every list can be ordered.
  "GET /schedules": ["+query sort_by", "+query sort_order"],
  // Every list can be ordered.
  "GET /schedules/*/runs": ["+query sort_by", "+query sort_order"],
  // Every list can be ordered.
  "GET /traces": ["+query sort_by", "+query sort_order"],
  // AgentOS never fills extra_data; the steps of a workflow are agents and teams here.
  "GET /traces/*": [
    "-answer extra_data",
    "-answer spans[].extra_data",
    "-answer spans[].spans[].extra_data",
    "-answer spans[].spans[].step_type",
    "-answer spans[].step_type",
    "-answer step_type",
    "-answer tree[].extra_data",
    "-answer tree[].spans[].extra_data",
    "-answer tree[].spans[].step_type",
    "-answer tree[].step_type",
  ],
  // Nothing is archived here.
  "PATCH /components/*": ["-answer deleted_at"],
  // Links follow from members and steps.
  "PATCH /components/*/configs/*": ["-json links", "-json links[]"],
  // One form for all that is told of a content.
  "PATCH /knowledge/content/*": ["+form chunker"],
  // Nothing is archived here.
  "POST /components": ["-answer deleted_at"],
  // Links follow from members and steps; versions are counted here, as by AgentOS, whatever is sent.
  "POST /components/*/configs": ["-json links", "-json links[]", "-json version"],
  // Nothing is archived here.
  "POST /components/*/configs/*/set-current": ["-answer deleted_at"],
  // AgentOS describes no answer; its message is here, with the versions.
  "POST /databases/*/migrate": ["+answer from_version", "+answer message", "+answer steps", "+answer to_version"],
  // AgentOS describes no answer; its message is here, with the versions.
  "POST /databases/all/migrate": ["+answer from_version", "+answer message", "+answer steps", "+answer to_version"],
  // Pieces are paragraphs, whatever size is asked for.
  "POST /knowledge/content": ["-form chunk_overlap", "-form chunk_size"],
  // Pieces are paragraphs, whatever size is asked for.
  "POST /knowledge/remote-content": ["-form chunk_overlap", "-form chunk_size"],
  // There is one database, and no vectors.
  "POST /knowledge/search": ["-json db_id", "-json vector_db_ids", "-json vector_db_ids[]"],
  // What a model has is told; what is accepted for later has a status of its own, 202.
  "POST /metrics/refresh": [
    "+answer [].model_metrics[].count",
    "+answer [].model_metrics[].model_id",
    "+answer [].model_metrics[].model_provider",
    "-answer [].model_metrics[]",
    "-answer message",
    "-answer status",
  ],
  // It says that it merges, and uses no model.
  "POST /optimize-memories": ["+answer method"],
  // AgentOS never fills extra_data.
  "POST /traces/search": ["-answer data[].tree[].extra_data", "-answer data[].tree[].step_type"],
}
