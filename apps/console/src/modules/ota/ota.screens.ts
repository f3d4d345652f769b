import { firstPage, type Screen } from '#kernel/screens.ts'

export const otaScreens: readonly Screen[] = [
  {
    path: '/upgrade/ota',
    title: '设备固件',
    access: 'upgrade:ota:list',
    page: () => import('./ota-list.page.tsx'),
    prefetch: firstPage('/api/v1/device/ota'),
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
]
