import { addDeviceTab } from '#core/routing/device-tabs.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const adScreenScreens: readonly Screen[] = [
  {
    path: '/advertiseManage/ProgramList/screens',
    title: '屏幕',
    access: 'advertiseManage:ProgramList:query',
    under: '/advertiseManage/ProgramList',
    page: () => import('./screen-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/screen/page'),
  },
]

addDeviceTab({
  key: 'screen',
  label: '广告播放',
  access: 'advertiseManage:ProgramList:query',
  order: 65,
  panel: () => import('./screen-tab.tsx'),
})
