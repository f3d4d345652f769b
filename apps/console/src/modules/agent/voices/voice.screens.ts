import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const agentVoiceScreens: readonly Screen[] = [
  {
    path: '/agent/voice',
    title: '音色',
    access: 'agent:voice:list',
    page: () => import('./voice-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/voice/page'),
  },
]
