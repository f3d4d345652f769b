import type { account } from '@oms/contract/account.ts'
import { routeOf } from '#kernel/route-of.ts'

/** The frame keeps settings too, and starts without any contract; `preference-calls.test.ts` holds these against it. */
export const settings = {
  preferences: routeOf<typeof account.preferences>({ method: 'GET', path: '/api/v1/account/preference' }),
  setPreference: routeOf<typeof account.setPreference>({ method: 'PUT', path: '/api/v1/account/preference' }),
}
