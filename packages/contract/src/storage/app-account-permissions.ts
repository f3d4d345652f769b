import type { CatalogueDirectory } from '../core/permissions.ts'

export const APP_ACCOUNT_CATALOGUE: CatalogueDirectory = {
  url: '/AccountAdministration',
  name: '账号管理',
  icon: 'user',
  pages: [
    {
      url: '/AccountAdministration/accountList',
      name: 'App账号',
      icon: 'mobile',
      prefix: 'AccountAdministration:accountList',
      records: ['appAccount'],
      actions: [
        'query',
        'add',
        'enable',
        ['bind', '绑定设备'],
        ['unbind', '解绑设备'],
        'import',
        'export',
        ['plain', '查看明文联系方式'],
      ],
    },
  ],
}
