import { addCreateForm } from '#core/routing/create-forms.ts'
import { addDeviceTab } from '#core/routing/device-tabs.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const deviceScreens: readonly Screen[] = [
  {
    path: '/device/apkManage',
    title: '设备信息',
    access: 'device:apkManage:list',
    page: () => import('./device-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/info/page'),
  },
  {
    path: '/device/apkManage/detail/:id',
    title: '设备详情',
    access: 'device:apkManage:query',
    under: '/device/apkManage',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./device-detail.page.tsx'),
  },
]

addCreateForm('device', {
  label: '新增设备',
  access: 'device:apkManage:add',
  load: () => import('./device-form.tsx'),
  part: 'DeviceAddForm',
})
addDeviceTab({
  key: 'tasks',
  label: '升级任务',
  access: 'device:apkManage:query',
  order: 40,
  panel: () => import('./device-tasks.tsx'),
})
addDeviceTab({
  key: 'tickets',
  label: '售后工单',
  access: 'AfterService:Questions:list',
  order: 60,
  panel: () => import('./device-tickets.tsx'),
})
