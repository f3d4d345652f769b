import type { CatalogueDirectory } from '../core/permissions.ts'

export const AFTER_SERVICE_CATALOGUE: CatalogueDirectory = {
  url: '/AfterService',
  name: '售后服务',
  icon: 'service',
  pages: [
    {
      url: '/AfterService/Equipment',
      name: '售后设备',
      icon: 'desktop',
      prefix: 'AfterService:Equipment',
      actions: ['export'],
    },
    {
      url: '/AfterService/Questions',
      name: '售后工单',
      icon: 'solution',
      prefix: 'AfterService:Questions',
      actions: [
        'query',
        ['submit', '处理'],
        'add',
        'edit',
        ['assign', '分派'],
        ['merge', '合并'],
        ['template', '维护备注模板'],
        ['sla', '设置服务时限'],
        'export',
        ['print', '打印'],
      ],
      hidden: [{ url: '/AfterService/Questions/Pendding', name: '工单详情' }],
    },
    {
      url: '/AfterService/PendingList',
      name: '待办工单',
      icon: 'carry-out',
      prefix: 'AfterService:PendingList',
      actions: ['query', ['claim', '认领']],
      hidden: [{ url: '/AfterService/PendingList/Pendding', name: '处理工单' }],
    },
    {
      url: '/AfterService/StatisticAnalysis',
      name: '售后统计',
      icon: 'line-chart',
      prefix: 'AfterService:StatisticAnalysis',
      actions: ['export'],
    },
  ],
}
