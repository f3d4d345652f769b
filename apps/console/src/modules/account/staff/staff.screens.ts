import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const staffScreens: readonly Screen[] = [
  {
    path: '/system/manager',
    title: '用户管理',
    access: 'system:manager:list',
    page: () => import('./staff-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/user/list'),
  },
]
