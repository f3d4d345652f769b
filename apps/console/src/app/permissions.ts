import { buildLoginPath } from '#core/routing/addresses.ts'
import { handleResponse, handleEnvelope } from '#core/api/response.ts'
import { call, isApiError } from '#core/api/client.ts'
import { relogin } from '#core/auth/relogin.ts'
import { clearSession, type Permissions, setPermissions } from '#core/auth/session.tsx'
import type { ApiResponse } from '#core/api/transport.ts'
import { shellCalls } from './calls.ts'
import { leaveTo } from './leave.ts'

export type Readiness = 'ready' | 'failed'

/** Stores loaded permissions; an unchanged version causes no re-render. */
export const loadPermissions = () => take(call(shellCalls.perms, {}))

/** Loads permissions at start. An ended session redirects to the login page, because no input can be lost yet. */
export async function loadFirstPermissions(asked: Promise<ApiResponse>): Promise<Readiness | 'gone'> {
  const outcome = await take(
    asked
      .catch((error: unknown) => handleResponse(error, true))
      .then((answer) => handleEnvelope<Permissions>(answer, true).data),
  )
  if (!relogin.get()) return outcome
  relogin.set(undefined)
  clearSession()
  leaveTo(buildLoginPath(location.pathname + location.search + location.hash))
  return 'gone'
}

async function take(coming: Promise<Permissions>): Promise<Readiness> {
  try {
    setPermissions(await coming)
    return 'ready'
  } catch (error) {
    if (!isApiError(error)) throw error
    return 'failed'
  }
}
