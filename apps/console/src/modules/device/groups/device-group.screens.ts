import { addCreateForm } from '#core/routing/create-forms.ts'
import type { Screen } from '#core/routing/screens.ts'

export const deviceGroupScreens: readonly Screen[] = [
  {
    path: '/device/deviceGroup',
    title: '设备分组',
    access: 'device:deviceGroup:list',
    page: () => import('./group-list.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/device/group/tree', input: Object.fromEntries(query) }],
  },
  {
    path: '/device/apkManage/access',
    title: '接入设置',
    access: 'device:apkManage:access',
    under: '/device/apkManage',
    page: () => import('./access.page.tsx'),
    prefetch: ({ query }) => [{ path: '/api/v1/device/access', input: Object.fromEntries(query) }],
  },
]

addCreateForm('deviceGroup', {
  label: '新增分组',
  access: 'device:deviceGroup:add',
  load: () => import('./group-form.tsx'),
  part: 'GroupCreate',
})
