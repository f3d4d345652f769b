import type { account } from '@oms/contract/account.ts'
import { routeOf } from '#kernel/route-of.ts'

/** The shell's own calls; `calls.test.ts` holds each against its entry. */
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
