import type { account } from '@oms/contract/account/account.ts'
import type { home } from '@oms/contract/home/home.ts'
import { declareRoute } from '#core/api/route-of.ts'

/** Calls of the home page as literals for a fast start; `calls.test.ts` compares them with the contract. */
export const homeCalls = {
  detail: declareRoute<typeof account.detail>({ method: 'GET', path: '/api/v1/account/detail/:id' }),
  blocks: declareRoute<typeof home.blocks>({ method: 'GET', path: '/api/v1/home/blocks' }),
  summary: declareRoute<typeof home.summary>({ method: 'GET', path: '/api/v1/home/summary' }),
  todo: declareRoute<typeof home.todo>({ method: 'GET', path: '/api/v1/home/todo' }),
  trend: declareRoute<typeof home.trend>({ method: 'GET', path: '/api/v1/home/trend' }),
  distribution: declareRoute<typeof home.distribution>({ method: 'GET', path: '/api/v1/home/distribution' }),
  screenFleet: declareRoute<typeof home.screenFleet>({ method: 'GET', path: '/api/v1/home/screen/fleet' }),
  screenOnline: declareRoute<typeof home.screenOnline>({ method: 'GET', path: '/api/v1/home/screen/online' }),
  screenReleases: declareRoute<typeof home.screenReleases>({ method: 'GET', path: '/api/v1/home/screen/releases' }),
  screenTickets: declareRoute<typeof home.screenTickets>({ method: 'GET', path: '/api/v1/home/screen/tickets' }),
}
