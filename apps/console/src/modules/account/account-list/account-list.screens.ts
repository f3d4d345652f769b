import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const accountListScreens: readonly Screen[] = [
  {
    path: '/system/userList',
    title: '账号列表',
    access: 'system:userList:list',
    page: () => import('./account-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/account/all/page'),
  },
  {
    path: '/userManage/index',
    title: '账号概况',
    access: 'system:userList:query',
    under: '/system/userList',
    identity: ['uid'],
    page: () => import('./account-overview.page.tsx'),
  },
]
