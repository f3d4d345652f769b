import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'
import { addDeviceTab } from '#core/routing/device-tabs.ts'

export const advertiseScreens: readonly Screen[] = [
  {
    path: '/advertiseManage/adList',
    title: '广告列表',
    access: 'advertiseManage:adList:list',
    page: () => import('./ads/ad-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/ad/page'),
  },
  {
    path: '/advertiseManage/ProgramList',
    title: '节目单',
    access: 'advertiseManage:ProgramList:list',
    page: () => import('./programs/program-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/program/page'),
  },
  {
    path: '/advertiseManage/ProgramList/add',
    title: '新增节目单',
    access: 'advertiseManage:ProgramList:add',
    under: '/advertiseManage/ProgramList',
    page: () => import('./programs/program-add.page.tsx'),
  },
  {
    path: '/advertiseManage/ProgramList/edit/:id',
    title: '编辑节目单',
    access: 'advertiseManage:ProgramList:edit',
    under: '/advertiseManage/ProgramList',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./programs/program-edit.page.tsx'),
  },
  {
    path: '/advertiseManage/statisticalAnalysis',
    title: '广告统计',
    access: 'advertiseManage:statisticalAnalysis:list',
    page: () => import('./statistics/statistics.page.tsx'),
  },
  {
    path: '/advertiseManage/ProgramList/screens',
    title: '屏幕',
    access: 'advertiseManage:ProgramList:query',
    under: '/advertiseManage/ProgramList',
    page: () => import('./screens/screen-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/screen/page'),
  },
]

addDeviceTab({
  key: 'screen',
  label: '广告播放',
  access: 'advertiseManage:ProgramList:query',
  order: 65,
  panel: () => import('./screens/screen-tab.tsx'),
})
