// The service accounts endpoints of specification 4.3: list, mint, revoke.
import { z } from "zod"
import { parseScope } from "../../auth/scopes.ts"
import type { ServiceParts } from "../handler.ts"
import { routesOf, type ServiceRoute, type WithBody, type WithQuery } from "../route.ts"
import {
  accountOrders,
  accountRow,
  listAccounts,
  revokeAccount,
  type ServiceAccount,
} from "../storage/account-store.ts"
import { boundedInteger, complain, queryInteger, textBoolean } from "../wire/fields.ts"
import { named, namedLooseObject, namedObject } from "../wire/named-model.ts"
import { pageOf } from "../wire/page-model.ts"
import { jsonBody } from "../wire/read-request.ts"
import { answer, meta, noContent, refuse, type ServiceReply } from "../wire/reply.ts"
import { defaultScopes, judgeScopes } from "./account-rules.ts"
import { accountName, mintAccount } from "./mint-account.ts"

const slug = "start with a letter or digit, then letters, digits, '_' or '-' (max 63 chars)"
const nameRule = `Value error, Name must be a lowercase slug: ${slug}`

/** How many days an account is valid if the request does not say it. */
const defaultDays = 90

const mintBody = namedObject("ServiceAccountCreate", {
  name: z
    .string()
    .superRefine((name, context) => {
      if (!accountName.test(name)) complain(context, { type: "value_error", msg: nameRule, ctx: { error: {} } })
    })
    .meta({ pattern: accountName.source }),
  scopes: z.array(z.object({ scope: z.string(), effect: z.enum(["allow"]).default("allow") })).nullish(),
  expires_in_days: boundedInteger(1, 3650).nullish(),
  never_expires: z.boolean().default(false),
  allow_privileged_scopes: z.boolean().default(false),
})

const listQuery = z.object({
  limit: queryInteger(20, 1, 100),
  page: queryInteger(1, 1),
  include_revoked: textBoolean(false),
  sort_by: z.enum(accountOrders).default("created_at"),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
})

const account = namedLooseObject("ServiceAccount", {
  ...accountRow.omit({ created_by: true }).shape,
  principal: z.string(),
  scopes: z.array(z.record(z.string(), z.unknown())),
})

const route = routesOf("Service Accounts", { forAnybody: true })

/** The service accounts. Under user isolation, callers who are not admin list and revoke only those that they made. */
export const accountRoutes: readonly ServiceRoute[] = [
  route("GET /service-accounts", "service_accounts:read", {
    id: "list_service_accounts_service_accounts_get",
    summary: "List service accounts",
    query: listQuery,
    reply: named("ServiceAccountList", pageOf(account)),
    handler: showAccounts,
  }),
  route("POST /service-accounts", "service_accounts:write", {
    id: "create_service_account_service_accounts_post",
    summary: "Mint a service account token",
    body: jsonBody(mintBody),
    status: 201,
    reply: named("ServiceAccountCreated", account.extend({ token: z.string() })),
    refusals: [400, 409],
    before: (_parts, { standing: { caller } }) =>
      caller.kind === "anonymous" ? { ok: false, reply: needsIdentity } : { ok: true, value: caller },
    handler: mint,
  }),
  route("DELETE /service-accounts/*", "service_accounts:delete", {
    id: "revoke_service_account_service_accounts__service_account_id__delete",
    summary: "Revoke a service account",
    handler: ({ database, clock }, { ids: [id = ""], standing }) =>
      revokeAccount(database, { id, createdBy: standing.owner }, Math.floor(clock() / 1000))
        ? noContent
        : refuse(404, `Service account '${id}' not found`),
  }),
]

const needsIdentity = refuse(401, "JWT authentication is required to mint a service account.")

function showAccounts({ database }: ServiceParts, { query, standing }: WithQuery<typeof listQuery>): ServiceReply {
  const { limit, page, include_revoked: revoked, sort_by: sortBy } = query
  const order = query.sort_order === "asc" ? "ASC" : "DESC"
  const filter = { which: revoked ? "all" : "active", createdBy: standing.owner } as const
  const { rows, total } = listAccounts(database, filter, { limit, page, sortBy, order })
  return answer({ data: rows.map(accountView), meta: meta(page, limit, total, 0) })
}

function mint(parts: ServiceParts, { standing, body: wish }: WithBody<typeof mintBody>): ServiceReply {
  const scopes = wish.scopes?.map((entry) => entry.scope) ?? defaultScopes
  const { adminScope, ownScopes } = parts.settings
  const minter = { scopes: standing.scopes, adminScope, ownScopes }
  const refusal = judgeScopes(scopes, wish.allow_privileged_scopes ? "allowed" : "refused", minter)
  if (refusal !== null) return refusal
  const expiresInDays = wish.never_expires ? null : (wish.expires_in_days ?? defaultDays)
  const minted = mintAccount(parts, { name: wish.name, scopes, expiresInDays, createdBy: standing.caller.subject })
  if (minted === null) {
    return refuse(409, `An active service account named '${wish.name}' already exists. Revoke it first to rotate.`)
  }
  return answer({ ...accountView(minted.account), token: minted.token }, 201)
}

function accountView(account: ServiceAccount): Record<string, unknown> {
  const { name, scopes, created_by: minter } = account
  return { ...account, principal: `sa:${name}`, user_id: minter, scopes: scopes.map(scopeView) }
}

function scopeView(raw: string): Record<string, unknown> {
  const scope = parseScope(raw)
  const [namespace, permission] = scope === null ? raw.split(":") : [scope.resource, scope.action]
  return { id: null, raw, namespace, sub_namespace: scope?.id ?? null, permission, value: "allow" }
}
