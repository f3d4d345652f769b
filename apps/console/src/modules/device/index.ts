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
  {
    path: '/device/deviceGroup',
    title: '设备分组',
    access: 'device:deviceGroup:list',
    page: () => import('./groups/group-list.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/device/group/tree', input: Object.fromEntries(query) }],
  },
  {
    path: '/device/apkManage/access',
    title: '接入设置',
    access: 'device:apkManage:access',
    under: '/device/apkManage',
    page: () => import('./groups/access.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/device/access', input: Object.fromEntries(query) }],
  },
  {
    path: '/device/_manage',
    title: '设备类型',
    access: 'device:_manage:list',
    page: () => import('./models/device-type-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/type/page'),
  },
  {
    path: '/device/updateManage',
    title: '设备型号',
    access: 'device:updateManage:list',
    page: () => import('./models/device-model-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/model/page'),
  },
]

addCreateForm('device', {
  label: '新增设备',
  access: 'device:apkManage:add',
  load: () => import('./device-forms.tsx'),
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
addCreateForm('deviceGroup', {
  label: '新增分组',
  access: 'device:deviceGroup:add',
  load: () => import('./groups/group-form.tsx'),
  part: 'GroupCreate',
})
addCreateForm('deviceType', {
  label: '新增类型',
  access: 'device:_manage:add',
  allTenants: true,
  load: () => import('./models/device-model-dialogs.tsx'),
  part: 'TypeAddForm',
})
addCreateForm('deviceModel', {
  label: '新增型号',
  access: 'device:updateManage:add',
  allTenants: true,
  load: () => import('./models/device-model-dialogs.tsx'),
  part: 'ModelAddForm',
})
