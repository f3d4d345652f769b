import type { account } from '@oms/contract/account/account.ts'
import { declareRoute } from '#core/api/route-of.ts'

/** Calls of the layout as literals; `calls.test.ts` compares each literal with its contract entry. */
export const shellCalls = {
  perms: declareRoute<typeof account.perms>({ method: 'GET', path: '/api/v1/sys/account/perms' }),
  detail: declareRoute<typeof account.detail>({ method: 'GET', path: '/api/v1/account/detail/:id' }),
  logout: declareRoute<typeof account.logout>({
    method: 'POST',
    path: '/api/v1/account/logout',
    body: 'form',
    done: '退出成功',
  }),
}
