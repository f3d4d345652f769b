import type { Screen } from '#kernel/screens.ts'

export const upgradeScreens: readonly Screen[] = [
  {
    path: '/upgrade/ota/release/:id',
    title: '版本发布',
    access: 'upgrade:ota:query',
    under: '/upgrade/ota',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./release.page.tsx'),
  },
]
