import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const deviceModelScreens: readonly Screen[] = [
  {
    path: '/device/_manage',
    title: '设备类型',
    access: 'device:_manage:list',
    page: () => import('./device-type-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/type/page'),
  },
  {
    path: '/device/updateManage',
    title: '设备型号',
    access: 'device:updateManage:list',
    page: () => import('./device-model-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/device/model/page'),
  },
]

addCreateForm('deviceType', {
  label: '新增类型',
  access: 'device:_manage:add',
  allTenants: true,
  load: () => import('./device-type-form.tsx'),
  part: 'TypeAddForm',
})
addCreateForm('deviceModel', {
  label: '新增型号',
  access: 'device:updateManage:add',
  allTenants: true,
  load: () => import('./device-model-form.tsx'),
  part: 'ModelAddForm',
})
