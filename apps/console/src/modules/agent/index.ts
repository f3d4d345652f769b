import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'
import { addAgentTab } from '#core/routing/agent-tabs.ts'
import { addDeviceTab } from '#core/routing/device-tabs.ts'

export const agentScreens: readonly Screen[] = [
  {
    path: '/agent/agent',
    title: '智能体',
    access: 'agent:agent:list',
    page: () => import('./agents/agent-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/list/page'),
  },
  {
    path: '/agent/agent/detail/:id',
    title: '智能体详情',
    access: 'agent:agent:query',
    under: '/agent/agent',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./agents/agent-detail.page.tsx'),
  },
  {
    path: '/agent/device',
    title: '语音设备',
    access: 'agent:device:list',
    page: () => import('./devices/device-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/device/page'),
  },
  {
    path: '/agent/config',
    title: '模型配置',
    access: 'agent:config:list',
    page: () => import('./models/model-list.page.tsx'),
  },
  {
    path: '/agent/voice',
    title: '音色',
    access: 'agent:voice:list',
    page: () => import('./voices/voice-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/voice/page'),
  },
  {
    path: '/agent/voiceprint',
    title: '声纹',
    access: 'agent:voiceprint:list',
    page: () => import('./voices/voiceprint-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/voiceprint/page'),
  },
  {
    path: '/agent/template',
    title: '模板',
    access: 'agent:template:list',
    page: () => import('./agents/template-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/template/page'),
  },
  {
    path: '/agent/product',
    title: '套餐管理',
    access: 'agent:product:list',
    page: () => import('./orders/product-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/product/page'),
  },
  {
    path: '/agent/order',
    title: '订单管理',
    access: 'agent:order:list',
    page: () => import('./orders/order-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/order/page'),
  },
  {
    path: '/agent/params',
    title: '参数',
    access: 'agent:params:list',
    page: () => import('./params.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/agent/params', input: Object.fromEntries(query) }],
  },
]

addCreateForm('agent', {
  label: '新增智能体',
  access: 'agent:agent:add',
  load: () => import('./agents/agent-dialogs.tsx'),
  part: 'AgentAddForm',
})
addAgentTab({
  key: 'devices',
  label: '设备',
  access: 'agent:device:list',
  order: 35,
  panel: () => import('./agents/agent-device-tab.tsx'),
})
addAgentTab({
  key: 'usage',
  label: '用量',
  access: 'agent:agent:query',
  order: 70,
  panel: () => import('./usage-panel.tsx'),
})
addDeviceTab({
  key: 'voice',
  label: '语音',
  access: 'agent:device:query',
  order: 66,
  panel: () => import('./devices/device-tab.tsx'),
})
addAgentTab({
  key: 'talk',
  label: '对话',
  access: 'agent:agent:history',
  order: 50,
  panel: () => import('./history/history-panel.tsx'),
})
addAgentTab({
  key: 'memory',
  label: '记忆',
  access: 'agent:agent:history',
  order: 60,
  panel: () => import('./history/memory-panel.tsx'),
})
