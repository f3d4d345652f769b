import type { Screen } from '#core/routing/screens.ts'

export const adStatScreens: readonly Screen[] = [
  {
    path: '/advertiseManage/statisticalAnalysis',
    title: '统计分析',
    access: 'advertiseManage:statisticalAnalysis:list',
    page: () => import('./statistics.page.tsx'),
  },
]
