import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentTemplateScreens: readonly Screen[] = [
  {
    path: '/agent/template',
    title: '模板',
    access: 'agent:template:list',
    page: () => import('./template-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/template/page'),
  },
]
