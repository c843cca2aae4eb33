// Approvals and service accounts in the interface description.
import { listQuery as accountQuery } from "../accounts/account-handlers.ts"
import { countQuery, listQuery } from "../approvals/approval-handlers.ts"
import type { Operations } from "./operation.ts"

const approvals = "Approvals"
const accounts = "Service Accounts"

/** 4.1 and 4.2, the route of our own that asks for an approval, and service accounts of 4.3. */
export const approvalOperations: Operations = {
  "GET /approvals": {
    id: "list_approvals_approvals_get",
    tag: approvals,
    summary: "List approval requests",
    query: listQuery,
    answers: [{ status: 200, model: "ApprovalList" }],
  },
  "GET /approvals/count": {
    id: "get_approval_count_approvals_count_get",
    tag: approvals,
    summary: "Count pending approval requests",
    query: countQuery,
    answers: [{ status: 200, model: "ApprovalCount" }],
  },
  "GET /approvals/*": {
    id: "get_approval_approvals__approval_id__get",
    tag: approvals,
    summary: "View an approval request",
    answers: [{ status: 200, model: "ApprovalResponse" }],
    refusals: [404],
  },
  "GET /approvals/*/status": {
    id: "get_approval_status_approvals__approval_id__status_get",
    tag: approvals,
    summary: "View approval status",
    answers: [{ status: 200, model: "ApprovalStatus" }],
    refusals: [404],
  },
  "POST /approvals": {
    id: "create_approval_approvals_post",
    tag: approvals,
    summary: "Ask for an approval",
    json: "ApprovalCreate",
    answers: [{ status: 201, model: "ApprovalResponse" }],
  },
  "POST /approvals/*/resolve": {
    id: "resolve_approval_approvals__approval_id__resolve_post",
    tag: approvals,
    summary: "Resolve an approval",
    json: "ApprovalResolve",
    answers: [{ status: 200, model: "ApprovalResponse" }],
    refusals: [404, 409],
  },
  "DELETE /approvals/*": {
    id: "delete_approval_approvals__approval_id__delete",
    tag: approvals,
    summary: "Delete an approval request",
    answers: [{ status: 204 }],
    refusals: [404],
  },
  "GET /service-accounts": {
    id: "list_service_accounts_service_accounts_get",
    tag: accounts,
    summary: "List service accounts",
    query: accountQuery,
    answers: [{ status: 200, model: "ServiceAccountList" }],
  },
  "POST /service-accounts": {
    id: "create_service_account_service_accounts_post",
    tag: accounts,
    summary: "Mint a service account token",
    json: "ServiceAccountCreate",
    answers: [{ status: 201, model: "ServiceAccountCreated" }],
    refusals: [400, 409],
  },
  "DELETE /service-accounts/*": {
    id: "revoke_service_account_service_accounts__service_account_id__delete",
    tag: accounts,
    summary: "Revoke a service account",
    answers: [{ status: 204 }],
    refusals: [404],
  },
}
