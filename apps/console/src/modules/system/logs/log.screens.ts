import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const logScreens: readonly Screen[] = [
  {
    path: '/system/operLog',
    title: '操作日志',
    access: 'system:operLog:list',
    page: () => import('./oper-log.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/operlog/page'),
  },
  {
    path: '/system/loginLog',
    title: '登录日志',
    access: 'system:loginLog:list',
    page: () => import('./login-log.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/loginlog/page'),
  },
]
