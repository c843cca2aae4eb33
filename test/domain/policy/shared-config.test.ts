// The shared config: which instances a replica with another file leaves to others (R16).

import { expect, test } from "vitest"
import { elsewhereFor, type SharedInstance } from "../../../src/domain/policy/shared-config.ts"
import { aSharedConfig, aSharedInstance } from "../../support/shared-config.ts"

const kid = { kind: "delegated", algorithm: "ES256", audience: null, issuer: null } as const

test.each<[string, Partial<SharedInstance>, Partial<SharedInstance>, RegExp | null]>([
  ["the same instance is served", {}, {}, null],
  [
    "another address",
    { url: "https://a.example" },
    { url: "https://b.example" },
    /names https:\/\/b.example.*a.example/,
  ],
  ["one that the file does not have", { name: "main" }, { name: "other" }, /has no such instance/],
  ["another way to resolve", {}, { resolving: { kind: "token" } }, /under another credential/],
  [
    "another key to resolve with",
    { resolving: { ...kid, kid: "a" } },
    { resolving: { ...kid, kid: "b" } },
    /under another credential/,
  ],
  ["runs to continue without a credential", { resume: "off" }, { resume: "decided" }, /no credential for that/],
  ["runs that are left alone", { resume: "decided" }, { resume: "off" }, null],
  [
    "runs to continue at another address",
    { resume: "decided", resumeUrl: "https://runs.example" },
    { resume: "decided" },
    /continued at https:\/\/agents.example.com, the file of this replica at https:\/\/runs.example/,
  ],
  [
    "runs to continue at the same address",
    { resume: "decided", resumeUrl: "https://a" },
    { resume: "approved", resumeUrl: "https://a" },
    null,
  ],
  [
    "runs that are left alone at another address",
    { resume: "decided", resumeUrl: "https://a" },
    { resume: "off" },
    null,
  ],
  ["another way to continue runs", { resume: "decided" }, { resume: "approved" }, null],
  ["another way to reject", {}, { rejectUserInput: "send" }, null],
  ["another word on AgentOS's own Slack interface", {}, { besideAgnoSlack: true }, null],
])("R16 an instance is elsewhere, or not, where the active config wants %s", (_case, own, active, why) => {
  const found = elsewhereFor(
    aSharedConfig("file", { instances: [aSharedInstance(own)] }),
    aSharedConfig("active", { instances: [aSharedInstance(active)] }),
  )

  expect(found).toHaveLength(why === null ? 0 : 1)
  for (const one of found) expect(one.why).toMatch(why ?? /never/)
})

test("R16 an instance that only the file has is no matter of others", () => {
  const file = aSharedConfig("file", { instances: [aSharedInstance(), aSharedInstance({ name: "old" })] })

  expect(elsewhereFor(file, aSharedConfig("active"))).toEqual([])
})
