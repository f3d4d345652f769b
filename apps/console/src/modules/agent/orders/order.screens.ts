import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentOrderScreens: readonly Screen[] = [
  {
    path: '/agent/order',
    title: '订单管理',
    access: 'agent:order:list',
    page: () => import('./order-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/order/page'),
  },
]
