import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const integrationScreens: readonly Screen[] = [
  {
    path: '/system/webhooks',
    title: '消息推送',
    access: 'system:webhooks:list',
    page: () => import('./endpoint-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/webhook/page'),
  },
]
