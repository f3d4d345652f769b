import type { CatalogueDirectory } from './declare.ts'

export const STORAGE: CatalogueDirectory = {
  url: '/ossManage',
  name: '云存储管理',
  icon: 'cloud',
  pages: [
    {
      url: '/ossManage/packageList',
      name: '云存套餐',
      icon: 'gift',
      prefix: 'ossManage:packageList',
      records: ['storagePackage'],
      actions: ['query', 'add', 'edit', 'remove', ['enable', '上架下架'], 'export'],
    },
    {
      url: '/ossManage/deviceList',
      name: '云存开通',
      icon: 'hdd',
      prefix: 'ossManage:deviceList',
      records: ['entitlement', 'storageAllowance', 'storageOrder', 'storageHook', 'storageCardBatch'],
      actions: [
        'query',
        ['open', '开通'],
        ['renew', '续期'],
        ['suspend', '暂停恢复'],
        ['cancel', '取消'],
        ['transfer', '转移'],
        'export',
        ['allowance', '开通额度'],
        ['order', '订单'],
        ['refund', '退款'],
        ['card', '卡密'],
        ['hook', '回调与密钥'],
      ],
    },
    {
      url: '/ossManage/ossStatisticalAnalysis',
      name: '云存统计',
      icon: 'bar-chart',
      prefix: 'ossManage:ossStatisticalAnalysis',
      actions: ['query', 'export', ['setting', '云存参数']],
    },
  ],
}
