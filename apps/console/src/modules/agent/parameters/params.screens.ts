import { addAgentTab } from '#core/routing/agent-tabs.ts'
import type { Screen } from '#core/routing/screens.ts'

export const agentParamScreens: readonly Screen[] = [
  {
    path: '/agent/params',
    title: '参数',
    access: 'agent:params:list',
    page: () => import('./params.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/agent/params', input: Object.fromEntries(query) }],
  },
]

addAgentTab({
  key: 'talk',
  label: '对话',
  access: 'agent:agent:history',
  order: 50,
  panel: () => import('../history/history-tab.tsx'),
})
addAgentTab({
  key: 'memory',
  label: '记忆',
  access: 'agent:agent:history',
  order: 60,
  panel: () => import('../history/memory-tab.tsx'),
})
