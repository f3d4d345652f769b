import type { Screen } from '#core/routing/screens.ts'

const params = { id: /^[1-9]\d{0,9}$/ }

export const upgradeScreens: readonly Screen[] = [
  {
    path: '/upgrade/ota/release/:id',
    title: '版本发布',
    access: 'upgrade:ota:query',
    under: '/upgrade/ota',
    params,
    page: () => import('./firmware-release.page.tsx'),
  },
  {
    path: '/upgrade/GeneralSoftware/release/:id',
    title: '软件包发布',
    access: 'upgrade:GeneralSoftware:query',
    under: '/upgrade/GeneralSoftware',
    params,
    page: () => import('./software-release.page.tsx'),
  },
]
