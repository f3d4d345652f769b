import type { Screen } from '#core/routing/screens.ts'

export const agentConfigScreens: readonly Screen[] = [
  {
    path: '/agent/config',
    title: '模型配置',
    access: 'agent:config:list',
    page: () => import('../models/model-list.page.tsx'),
  },
]
