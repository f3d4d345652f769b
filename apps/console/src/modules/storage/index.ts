import { addCreateForm } from '#core/routing/create-forms.ts'
import { addDeviceTab } from '#core/routing/device-tabs.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const storageScreens: readonly Screen[] = [
  {
    path: '/AccountAdministration/accountList',
    title: 'App账号',
    access: 'AccountAdministration:accountList:list',
    page: () => import('./app-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/account/app/page'),
  },
  {
    path: '/ossManage/packageList',
    title: '云存套餐',
    access: 'ossManage:packageList:list',
    page: () => import('./package-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/oss/package/page'),
  },
  {
    path: '/ossManage/deviceList',
    title: '云存开通',
    access: 'ossManage:deviceList:list',
    page: () => import('./activation.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/oss/device/page'),
  },
  {
    path: '/ossManage/ossStatisticalAnalysis',
    title: '云存统计',
    access: 'ossManage:ossStatisticalAnalysis:list',
    page: () => import('./statistics/statistics.page.tsx'),
  },
]

addDeviceTab({
  key: 'storage',
  label: '云存储',
  access: 'ossManage:deviceList:query',
  order: 60,
  panel: () => import('./entitlements/device-storage.tsx'),
})
addCreateForm('storagePackage', {
  label: '新增套餐',
  access: 'ossManage:packageList:add',
  allTenants: true,
  load: () => import('./package-dialogs.tsx'),
  part: 'PackageAddForm',
})
