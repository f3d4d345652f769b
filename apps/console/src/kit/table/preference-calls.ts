import type { account } from '@oms/contract/account/account.ts'
import { routeOf } from '#core/api/route-of.ts'

/**
 * Literal contract entries: the layout also stores preferences and starts without the contract.
 * `preference-calls.test.ts` compares them.
 */
export const settings = {
  preferences: routeOf<typeof account.preferences>({ method: 'GET', path: '/api/v1/account/preference' }),
  setPreference: routeOf<typeof account.setPreference>({ method: 'PUT', path: '/api/v1/account/preference' }),
}
