import { addAgentTab } from '#core/routing/agent-tabs.ts'
import { addDeviceTab } from '#core/routing/device-tabs.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentDeviceScreens: readonly Screen[] = [
  {
    path: '/agent/device',
    title: '设备信息',
    access: 'agent:device:list',
    page: () => import('./device-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/device/page'),
  },
]

addAgentTab({
  key: 'devices',
  label: '设备',
  access: 'agent:device:list',
  order: 35,
  panel: () => import('../agents/agent-device-tab.tsx'),
})
addAgentTab({
  key: 'usage',
  label: '用量',
  access: 'agent:agent:query',
  order: 70,
  panel: () => import('../usage/usage-tab.tsx'),
})
addDeviceTab({
  key: 'voice',
  label: '语音',
  access: 'agent:device:query',
  order: 66,
  panel: () => import('./device-tab.tsx'),
})
