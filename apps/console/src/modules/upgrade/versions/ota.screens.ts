import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const otaScreens: readonly Screen[] = [
  {
    path: '/upgrade/ota',
    title: '设备固件',
    access: 'upgrade:ota:list',
    page: () => import('./ota-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/ota'),
  },
  {
    path: '/AddOta',
    title: '新增固件',
    access: 'upgrade:ota:add',
    under: '/upgrade/ota',
    page: () => import('./ota-add.page.tsx'),
  },
  {
    path: '/EditOta/:id',
    title: '编辑固件',
    access: 'upgrade:ota:edit',
    under: '/upgrade/ota',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./ota-edit.page.tsx'),
  },
  {
    path: '/upgrade/GeneralSoftware',
    title: '通用软件',
    access: 'upgrade:GeneralSoftware:list',
    page: () => import('./software-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/software'),
  },
  {
    path: '/AddSoftware',
    title: '新增软件包',
    access: 'upgrade:GeneralSoftware:add',
    under: '/upgrade/GeneralSoftware',
    page: () => import('./software-add.page.tsx'),
  },
  {
    path: '/EditSoftware/:id',
    title: '编辑软件包',
    access: 'upgrade:GeneralSoftware:edit',
    under: '/upgrade/GeneralSoftware',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./software-edit.page.tsx'),
  },
]
