import type { account } from '@oms/contract/account/account.ts'
import { routeOf } from '#core/api/route-of.ts'

/** Calls of the layout as literals; `calls.test.ts` compares each literal with its contract entry. */
export const shell = {
  perms: routeOf<typeof account.perms>({ method: 'GET', path: '/api/v1/sys/account/perms' }),
  detail: routeOf<typeof account.detail>({ method: 'GET', path: '/api/v1/account/detail/:id' }),
  logout: routeOf<typeof account.logout>({
    method: 'POST',
    path: '/api/v1/account/logout',
    body: 'form',
    done: '退出成功',
  }),
}
