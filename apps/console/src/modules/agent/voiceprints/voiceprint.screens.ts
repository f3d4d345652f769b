import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const voiceprintScreens: readonly Screen[] = [
  {
    path: '/agent/voiceprint',
    title: '声纹',
    access: 'agent:voiceprint:list',
    page: () => import('./voiceprint-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/agent/voiceprint/page'),
  },
]
