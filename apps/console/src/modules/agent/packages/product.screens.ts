import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentProductScreens: readonly Screen[] = [
  {
    path: '/agent/product',
    title: '套餐管理',
    access: 'agent:product:list',
    page: () => import('./product-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/product/page'),
  },
]
