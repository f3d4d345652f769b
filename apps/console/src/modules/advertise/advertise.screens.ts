import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const advertiseScreens: readonly Screen[] = [
  {
    path: '/advertiseManage/adList',
    title: '广告列表',
    access: 'advertiseManage:adList:list',
    page: () => import('./ads/ad-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/ad/page'),
  },
]
