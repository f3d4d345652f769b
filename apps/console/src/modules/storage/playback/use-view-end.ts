import { type ConsentRow, playbackConsents } from '@oms/contract/storage/consent.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { useState } from 'react'
import type { ApiError } from '#core/api/api-error.ts'
import { useRead } from '#core/api/query.ts'
import { formatWallClock } from '#core/text/format.ts'

/**
 * Response codes that mean that the account can no longer use the consent. Other errors, such as a lost connection, do
 * not end the view.
 */
const REFUSALS: readonly number[] = [RESPONSE_CODE.invalid, RESPONSE_CODE.refused]
const endsView = (error: ApiError | null) => error !== null && REFUSALS.includes(error.code)

/**
 * Returns a message after the consent of a view was withdrawn or has expired, and undefined while the consent is valid.
 * The consent is requested again after each event about a changed consent, and when `check` is called.
 */
export function useViewEnd({ id, sn, validUntil }: ConsentRow) {
  const input = { sn, consentId: id, channel: 0 }
  const { error, refetch } = useRead(playbackConsents.times, input, { quiet: true, staleTime: 0 })
  const [message, setMessage] = useState<string>()
  if (message === undefined && endsView(error)) {
    const isExpired = validUntil <= formatWallClock()
    setMessage(isExpired ? '授权已过期，查看已结束' : '授权已撤回，查看已结束')
  }
  return { message, check: () => void refetch() }
}
