import type { CatalogueDirectory } from '../core/permissions.ts'

export const BIG_SCREEN_CATALOGUE: CatalogueDirectory = {
  url: '/screen',
  name: '数据大屏',
  icon: 'fund',
  pages: [
    {
      url: '/bigScreen',
      name: '运营大屏',
      icon: 'dashboard',
      prefix: 'index:indexScreen',
      opens: 'bigScreen',
      actions: [['display', '管理展示链接']],
    },
  ],
}
