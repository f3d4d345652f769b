import type { CatalogueDirectory } from '../core/permissions.ts'

export const LICENSE_CATALOGUE: CatalogueDirectory = {
  url: '/LicenseManage',
  name: '证书授权',
  icon: 'safety-certificate',
  pages: [
    {
      url: '/LicenseManage/Certificate',
      name: 'P2P证书',
      icon: 'key',
      prefix: 'LicenseManage:Certificate',
      records: ['license'],
      actions: [
        'query',
        'import',
        ['allot', '分配'],
        ['allotFree', '免授权分配'],
        ['recall', '收回'],
        ['bind', '绑定设备'],
        ['unbind', '解绑设备'],
        ['suspend', '暂停恢复'],
        ['scrap', '报废'],
        'export',
        ['plain', '查看明文'],
        ['threshold', '库存预警设置'],
      ],
    },
    {
      url: '/LicenseManage/ConsentManage',
      name: '授权管理',
      icon: 'audit',
      prefix: 'LicenseManage:ConsentManage',
      records: ['license-grant'],
      actions: ['query', 'add', ['audit', '审批'], 'edit', ['revoke', '撤销'], 'export'],
    },
    {
      url: '/LicenseManage/StatisticalAnalysis',
      name: '授权统计',
      icon: 'pie-chart',
      prefix: 'LicenseManage:StatisticalAnalysis',
      actions: ['query', 'export'],
    },
  ],
}
