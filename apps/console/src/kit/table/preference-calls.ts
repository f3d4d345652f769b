import type { account } from '@oms/contract/account/account.ts'
import { declareRoute } from '#core/api/route-of.ts'

/**
 * Literal contract entries: the layout also stores preferences and starts without the contract.
 * `preference-calls.test.ts` compares them.
 */
export const preferenceCalls = {
  preferences: declareRoute<typeof account.preferences>({ method: 'GET', path: '/api/v1/account/preference' }),
  setPreference: declareRoute<typeof account.setPreference>({ method: 'PUT', path: '/api/v1/account/preference' }),
}
