import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const noticeScreens: readonly Screen[] = [
  {
    path: '/system/noticeManage',
    title: '通知公告',
    access: 'system:noticeManage:list',
    page: () => import('./notice-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/notice/page'),
  },
]
