import type { CatalogueDirectory } from '../core/permissions.ts'

export const TENANT_CATALOGUE: CatalogueDirectory = {
  url: '/tenantManage',
  name: '客户管理',
  icon: 'bank',
  pages: [
    {
      url: '/tenantManage/tenant',
      name: '客户信息',
      icon: 'apartment',
      prefix: 'tenantManage:tenant',
      records: ['tenant'],
      actions: [
        'query',
        'add',
        'edit',
        'remove',
        'enable',
        ['renew', '续期'],
        ['scene', '分配业务场景'],
        ['switch', '切换客户'],
        'export',
        ['plain', '查看明文联系方式'],
      ],
      hidden: [{ url: '/tenantManage/tenant/overview/:id', name: '客户概况' }],
    },
    {
      url: '/tenantManage/userapplication',
      name: '加入申请',
      icon: 'user-add',
      prefix: 'tenantManage:userapplication',
      records: ['userApply'],
      actions: ['query', ['audit', '审批'], 'export'],
    },
    {
      url: '/tenantManage/industry',
      name: '行业管理',
      icon: 'shop',
      prefix: 'tenantManage:industry',
      records: ['industry'],
      actions: ['add', 'edit', 'remove', 'enable', ['merge', '合并'], ['sort', '排序']],
    },
  ],
}
