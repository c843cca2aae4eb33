// Approvals and service accounts in the interface description.
import { listQuery as accountQuery } from "../accounts/account-handlers.ts"
import { countQuery, listQuery } from "../approvals/approval-handlers.ts"
import { type Operations, tagged } from "./operation.ts"

/** 4.1 and 4.2, the route of our own that asks for an approval, and service accounts of 4.3. */
export const approvalOperations: Operations = {
  ...tagged("Approvals", {
    "GET /approvals": {
      id: "list_approvals_approvals_get",
      summary: "List approval requests",
      query: listQuery,
      model: "ApprovalList",
    },
    "POST /approvals": {
      id: "create_approval_approvals_post",
      summary: "Ask for an approval",
      json: "ApprovalCreate",
      status: 201,
      model: "ApprovalResponse",
      refusals: [409],
    },
    "GET /approvals/count": {
      id: "get_approval_count_approvals_count_get",
      summary: "Count pending approval requests",
      query: countQuery,
      model: "ApprovalCount",
    },
    "GET /approvals/*": {
      id: "get_approval_approvals__approval_id__get",
      summary: "View an approval request",
      model: "ApprovalResponse",
      refusals: [404],
    },
    "DELETE /approvals/*": {
      id: "delete_approval_approvals__approval_id__delete",
      summary: "Delete an approval request",
      status: 204,
      refusals: [404],
    },
    "GET /approvals/*/status": {
      id: "get_approval_status_approvals__approval_id__status_get",
      summary: "View approval status",
      model: "ApprovalStatus",
      refusals: [404],
    },
    "POST /approvals/*/resolve": {
      id: "resolve_approval_approvals__approval_id__resolve_post",
      summary: "Resolve an approval",
      json: "ApprovalResolve",
      model: "ApprovalResponse",
      refusals: [404, 409],
    },
  }),
  ...tagged("Service Accounts", {
    "GET /service-accounts": {
      id: "list_service_accounts_service_accounts_get",
      summary: "List service accounts",
      query: accountQuery,
      model: "ServiceAccountList",
    },
    "POST /service-accounts": {
      id: "create_service_account_service_accounts_post",
      summary: "Mint a service account token",
      json: "ServiceAccountCreate",
      status: 201,
      model: "ServiceAccountCreated",
      refusals: [400, 409],
    },
    "DELETE /service-accounts/*": {
      id: "revoke_service_account_service_accounts__service_account_id__delete",
      summary: "Revoke a service account",
      status: 204,
      refusals: [404],
    },
  }),
}
