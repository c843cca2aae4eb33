// The settings that follow from a service's options, defaults filled in.

import { type CredentialPlace, defaultPlace } from "../auth/credential.ts"
import { defaultAdminScope } from "../auth/scopes.ts"
import { defaultA2aPrefix } from "./gate/a2a-routes.ts"
import type { Settings } from "./parts.ts"
import type { ServiceOptions } from "./service-options.ts"

const defaultMaxBodyBytes = 8 * 1024 * 1024

/** Fills in the defaults. A service that has a key of any kind, or enforces scopes, asks for a credential. */
export function settingsOf(options: ServiceOptions): Settings {
  const hasKeys = (options.verificationKeys ?? []).length > 0 || options.jwksFile !== undefined
  return {
    adminScope: options.adminScope ?? defaultAdminScope,
    authMode: options.authorization || hasKeys ? "jwt" : "none",
    resolvedByFromSubject: options.resolvedByFromSubject ?? false,
    userIsolation: options.userIsolation ?? false,
    a2aPrefix: options.a2aPrefix ?? defaultA2aPrefix,
    ownScopes: new Set(Object.values(options.scopeMappings ?? {}).flat()),
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    startedAt: options.clock(),
  }
}

/** Where credentials are read from. */
export function placeOf({ credentialPlace }: ServiceOptions): CredentialPlace {
  return { ...defaultPlace, ...credentialPlace }
}
