import type { Screen } from '#core/routing/screens.ts'

export const aboutScreens: readonly Screen[] = [
  {
    path: '/system/AboutUs',
    title: '关于我们',
    access: 'system:AboutUs:list',
    page: () => import('./about.page.tsx'),
    prefetch: () => [{ path: '/api/v1/sys/about', input: {} }],
  },
]
