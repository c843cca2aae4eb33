// Shared configs for tests: one for each name, so that each has a revision of its own.
import type { SharedConfig, SharedInstance } from "../../src/domain/policy/shared-config.ts"

/** An instance, `main` unless said otherwise. */
export function aSharedInstance(changes: Partial<SharedInstance> = {}): SharedInstance {
  const url = "https://agents.example.com"
  return { name: "main", url, resolving: { kind: "same" }, resume: "off", rejectUserInput: "hold", ...changes }
}

/** A config that differs from one of another name by its `resolved_by`. */
export function aSharedConfig(name = "rev-1", changes: Partial<SharedConfig> = {}): SharedConfig {
  return {
    rules: [],
    identities: [],
    resolvedBy: `{email} ${name}`,
    slack: { apiUrl: "https://slack.com/api/", sandbox: false },
    instances: [aSharedInstance()],
    ...changes,
  }
}
