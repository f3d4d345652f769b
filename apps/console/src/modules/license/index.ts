import { addDeviceTab } from '#core/routing/device-tabs.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const licenseScreens: readonly Screen[] = [
  {
    path: '/LicenseManage/Certificate',
    title: 'P2P证书',
    access: 'LicenseManage:Certificate:list',
    page: () => import('./license-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/license/cert/page'),
  },
  {
    path: '/LicenseManage/ConsentManage',
    title: '授权管理',
    access: 'LicenseManage:ConsentManage:list',
    page: () => import('./grant-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/license/grant/page'),
  },
  {
    path: '/LicenseManage/StatisticalAnalysis',
    title: '授权统计',
    access: 'LicenseManage:StatisticalAnalysis:list',
    page: () => import('./license-stat.page.tsx'),
  },
]

addDeviceTab({
  key: 'license',
  label: '授权证书',
  access: 'LicenseManage:Certificate:list',
  order: 50,
  panel: () => import('./device-license.tsx'),
})
