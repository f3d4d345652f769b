import { firstPage, type Screen } from '#kernel/screens.ts'

export const deviceModelScreens: readonly Screen[] = [
  {
    path: '/device/_manage',
    title: '设备类型',
    access: 'device:_manage:list',
    page: () => import('./device-type-list.page.tsx'),
    prefetch: firstPage('/api/v1/device/type/page'),
  },
  {
    path: '/device/updateManage',
    title: '设备型号',
    access: 'device:updateManage:list',
    page: () => import('./device-model-list.page.tsx'),
    prefetch: firstPage('/api/v1/device/model/page'),
  },
]
