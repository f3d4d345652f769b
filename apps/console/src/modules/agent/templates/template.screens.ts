import { firstPage, type Screen } from '#core/routing/screens.ts'

export const agentTemplateScreens: readonly Screen[] = [
  {
    path: '/agent/template',
    title: '模板',
    access: 'agent:template:list',
    page: () => import('./template-list.page.tsx'),
    prefetch: firstPage('/api/v1/agent/template/page'),
  },
]
