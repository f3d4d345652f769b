import { loginAddress } from '#kernel/addresses.ts'
import { heedAnswer, heedEnvelope } from '#kernel/answer.ts'
import { call, isRefusal } from '#kernel/call.ts'
import { relogin } from '#kernel/relogin.ts'
import { forgetSession, type Permissions, setPermissions } from '#kernel/session.tsx'
import type { Answer } from '#kernel/transport.ts'
import { shell } from './calls.ts'
import { leaveTo } from './leave.ts'

export type Readiness = 'ready' | 'failed'

/** Rights as they are now; an unchanged version changes nothing on the screen. */
export const loadPermissions = () => take(call(shell.perms, {}))

/** Rights asked for while the code was loading. A dead session goes straight to login: nothing is open to lose. */
export async function firstPermissions(asked: Promise<Answer>): Promise<Readiness | 'gone'> {
  const outcome = await take(
    asked
      .catch((error: unknown) => heedAnswer(error, true))
      .then((answer) => heedEnvelope<Permissions>(answer, true).data),
  )
  if (!relogin.get()) return outcome
  relogin.set(undefined)
  forgetSession()
  leaveTo(loginAddress(location.pathname + location.search + location.hash))
  return 'gone'
}

async function take(coming: Promise<Permissions>): Promise<Readiness> {
  try {
    setPermissions(await coming)
    return 'ready'
  } catch (error) {
    if (!isRefusal(error)) throw error
    return 'failed'
  }
}
