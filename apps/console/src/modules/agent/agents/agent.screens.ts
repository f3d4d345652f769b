import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentScreens: readonly Screen[] = [
  {
    path: '/agent/agent',
    title: '智能体',
    access: 'agent:agent:list',
    page: () => import('./agent-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/list/page'),
  },
  {
    path: '/agent/agent/detail/:id',
    title: '智能体详情',
    access: 'agent:agent:query',
    under: '/agent/agent',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./agent-detail.page.tsx'),
  },
]

addCreateForm('agent', {
  label: '新增智能体',
  access: 'agent:agent:add',
  load: () => import('./agent-add.tsx'),
  part: 'AgentAddForm',
})
