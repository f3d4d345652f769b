import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const ticketScreens: readonly Screen[] = [
  {
    path: '/AfterService/Equipment',
    title: '售后设备',
    access: 'AfterService:Equipment:list',
    page: () => import('./service-devices.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/feedback/device/page'),
  },
  {
    path: '/AfterService/Questions',
    title: '售后工单',
    access: 'AfterService:Questions:list',
    page: () => import('./ticket-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/feedback/page'),
  },
  {
    path: '/AfterService/Questions/Pendding',
    title: '工单详情',
    access: 'AfterService:Questions:query',
    under: '/AfterService/Questions',
    identity: ['info'],
    page: () => import('./ticket-detail.page.tsx'),
  },
  {
    path: '/AfterService/PendingList',
    title: '待办工单',
    access: 'AfterService:PendingList:list',
    page: () => import('./pending-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/feedback/pending/page'),
  },
  {
    path: '/AfterService/PendingList/Pendding',
    title: '处理工单',
    access: 'AfterService:PendingList:query',
    under: '/AfterService/PendingList',
    identity: ['info'],
    page: () => import('./ticket-detail.page.tsx'),
  },
  {
    path: '/AfterService/StatisticAnalysis',
    title: '售后统计',
    access: 'AfterService:StatisticAnalysis:list',
    page: () => import('./statistics/statistics.page.tsx'),
  },
]
