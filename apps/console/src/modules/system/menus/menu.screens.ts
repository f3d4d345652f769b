import type { Screen } from '#core/routing/screens.ts'

export const menuScreens: readonly Screen[] = [
  {
    path: '/system/systemPerm',
    title: '菜单管理',
    access: 'system:systemPerm:list',
    page: () => import('./menu-list.page.tsx'),
    prefetch: () => [{ path: '/api/v1/sys/menu/list', input: {} }],
  },
]
