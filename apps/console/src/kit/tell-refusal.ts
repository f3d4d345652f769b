import { CODE } from '@oms/contract/kernel/envelope.ts'
import type { Refusal } from '#kernel/call.ts'
import { QUIET_SECONDS, toastOnce } from '#kernel/toast.ts'

/** Toasts a refusal of a quiet call as a loud one would have: a warning for bad input, else an error. */
export function tellRefusal({ code, message }: Refusal) {
  // The session's own dialog speaks for these.
  if (code === CODE.expired || code === CODE.barred) return
  toastOnce(code === CODE.invalid ? 'warning' : 'error', message, QUIET_SECONDS)
}
