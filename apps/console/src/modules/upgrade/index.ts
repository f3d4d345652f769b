import { type Screen, prefetchFirstPage } from '#core/routing/screens.ts'

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
  {
    path: '/upgrade/ota',
    title: '设备固件',
    access: 'upgrade:ota:list',
    page: () => import('./versions/ota-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/ota'),
  },
  {
    path: '/AddOta',
    title: '新增固件',
    access: 'upgrade:ota:add',
    under: '/upgrade/ota',
    page: () => import('./versions/ota-add.page.tsx'),
  },
  {
    path: '/EditOta/:id',
    title: '编辑固件',
    access: 'upgrade:ota:edit',
    under: '/upgrade/ota',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./versions/ota-edit.page.tsx'),
  },
  {
    path: '/upgrade/GeneralSoftware',
    title: '通用软件',
    access: 'upgrade:GeneralSoftware:list',
    page: () => import('./versions/software-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/software'),
  },
  {
    path: '/AddSoftware',
    title: '新增软件包',
    access: 'upgrade:GeneralSoftware:add',
    under: '/upgrade/GeneralSoftware',
    page: () => import('./versions/software-add.page.tsx'),
  },
  {
    path: '/EditSoftware/:id',
    title: '编辑软件包',
    access: 'upgrade:GeneralSoftware:edit',
    under: '/upgrade/GeneralSoftware',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./versions/software-edit.page.tsx'),
  },
]
