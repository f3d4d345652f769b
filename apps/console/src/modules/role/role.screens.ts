import { firstPage, type Screen } from '#kernel/screens.ts'

export const roleScreens: readonly Screen[] = [
  {
    path: '/system/rolemanagement',
    title: '角色管理',
    access: 'system:rolemanagement:list',
    page: () => import('./role-list.page.tsx'),
    prefetch: firstPage('/api/v1/tenant/role/list'),
  },
]
