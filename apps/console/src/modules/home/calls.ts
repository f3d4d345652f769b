import type { account } from '@oms/contract/account/account.ts'
import type { home } from '@oms/contract/home/home.ts'
import { routeOf } from '#core/api/route-of.ts'

/** Calls of the home page as literals for a fast start; `calls.test.ts` compares them with the contract. */
export const calls = {
  detail: routeOf<typeof account.detail>({ method: 'GET', path: '/api/v1/account/detail/:id' }),
  blocks: routeOf<typeof home.blocks>({ method: 'GET', path: '/api/v1/home/blocks' }),
  summary: routeOf<typeof home.summary>({ method: 'GET', path: '/api/v1/home/summary' }),
  todo: routeOf<typeof home.todo>({ method: 'GET', path: '/api/v1/home/todo' }),
  trend: routeOf<typeof home.trend>({ method: 'GET', path: '/api/v1/home/trend' }),
  distribution: routeOf<typeof home.distribution>({ method: 'GET', path: '/api/v1/home/distribution' }),
  screenFleet: routeOf<typeof home.screenFleet>({ method: 'GET', path: '/api/v1/home/screen/fleet' }),
  screenOnline: routeOf<typeof home.screenOnline>({ method: 'GET', path: '/api/v1/home/screen/online' }),
  screenReleases: routeOf<typeof home.screenReleases>({ method: 'GET', path: '/api/v1/home/screen/releases' }),
  screenTickets: routeOf<typeof home.screenTickets>({ method: 'GET', path: '/api/v1/home/screen/tickets' }),
}
