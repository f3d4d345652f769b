import { firstPage, type Screen } from '#kernel/screens.ts'

export const sceneScreens: readonly Screen[] = [
  {
    path: '/system/sceneManagement',
    title: '业务场景',
    access: 'system:sceneManagement:list',
    page: () => import('./scene-list.page.tsx'),
    prefetch: firstPage('/api/v1/sys/scene/page'),
  },
]
