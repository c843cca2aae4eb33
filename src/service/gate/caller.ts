// Who is asking, once a credential has been believed.

/**
 * The caller of one request. `subject` is what a platform writes down as the caller's name: a JWT's `sub`, or `sa:<name>`.
 * An anonymous caller exists only where authentication is switched off.
 */
export type Caller =
  | { readonly kind: "anonymous"; readonly subject: null; readonly scopes: readonly string[] }
  | { readonly kind: "jwt"; readonly subject: string | null; readonly scopes: readonly string[] }
  | { readonly kind: "service_account"; readonly subject: string; readonly scopes: readonly string[] }

/** The caller of an instance that asks for no credential. */
export const anonymous: Caller = { kind: "anonymous", subject: null, scopes: [] }
