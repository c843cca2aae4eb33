// Says what to do about a call that got no answer, by its cause: the same for an instance and for Slack.
import { type BrokenKind, brokenBy } from "../../outgoing/broken.ts"

/** Says what helps if a call got no answer. `error`: what a client threw, with its causes. */
export function remedyOf(error: Error): string {
  if ("code" in error && error.code === "no_turn") return remedies.late
  return remedies[brokenBy(error, "https:").kind]
}

/** What helps if users are isolated. */
export const adminOnly =
  "no credential without admin works under user isolation: switch that off there, or use an admin one " +
  "(docs/agentos.md says what that means)"

/** What helps if roles decide: they look at the subject alone. */
export const roleOnly =
  "roles decide there, and neither a service account nor a JWT without a subject works: " +
  "use a JWT whose subject has a role with approvals:read and approvals:write; " +
  "resolved_by is then that subject (docs/agentos.md)"

/** What helps if one security key opens everything: then no service account and no JWT has fewer rights. */
export const keyViaGate =
  "put Countersign's gate before the instance, with its security key as upstream_token, " +
  "as docs/how-to/agentos-gate.md shows"

/** Says what helps if the instance refused our gate's own credential, by the gate's words. */
export function remedyOfGate(detail: string): string {
  if (/user identity/i.test(detail)) return adminOnly
  if (/roles decide/i.test(detail)) return roleOnly
  const [, scopes] = /Required scope\(s\): ([\w:, ]+)/.exec(detail) ?? []
  const lacking = scopes === undefined ? "is expired, is missing or is not trusted there" : `lacks ${scopes}`
  return `the gate's upstream_token ${lacking}: make another as docs/how-to/agentos-gate.md shows, and restart the gate`
}

/** What helps, for each kind of failure. */
export const remedies: Readonly<Record<BrokenKind, string>> = {
  "no-host":
    "correct the host in the address, or let this machine look it up (DNS); where a proxy is the only way out, " +
    "set HTTPS_PROXY",
  refused: "check host and port of the address, that the service runs, and that firewalls let this machine reach it",
  "no-way": "check the network of this machine, and that firewalls let it reach that host",
  slow:
    "check that firewalls let this machine reach that host and port; where a proxy is the only way out, " +
    "set HTTPS_PROXY",
  late: "check the load of the service and of what stands before it; if an instance is only slow, raise its timeout",
  "unknown-ca":
    "trust the CA that signed it: put its certificate (PEM) into a file and name it as ca_file, " +
    "or for all connections as NODE_EXTRA_CA_CERTS",
  "wrong-name": "use an address with a name that the certificate has, or give the service a certificate for this name",
  "bad-certificate": "give the service a valid certificate; if it has one, compare the clocks of both machines",
  "plain-http": "write http:// if nobody else can listen in between, or name the port that speaks https",
  "not-http": "check port and scheme of the address: another service answers there, or one that wants https://",
  closed:
    "look into the log of the service and of what stands before it, " +
    "and check the scheme of the address (https:// or http://)",
  proxy:
    "check HTTPS_PROXY and HTTP_PROXY, with user and password, and that the proxy lets us reach that host; " +
    "NO_PROXY names hosts that need none",
  unsendable: "give the whole credential, on one line",
  unknown: "check the address, and what stands between it and this machine",
}
