import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import type { ApiError } from '#core/api/client.ts'
import { QUIET_SECONDS, showToastOnce } from '#core/loading/toast.ts'

/** Shows the error toast of a quiet call: a warning for invalid input, otherwise an error. */
export function showApiError({ code, message }: ApiError, text = message) {
  // Session errors are shown by the login dialog.
  if (code === RESPONSE_CODE.expired || code === RESPONSE_CODE.suspended) return
  showToastOnce(code === RESPONSE_CODE.invalid ? 'warning' : 'error', text, QUIET_SECONDS)
}
