import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const APP_ACCOUNTS: CatalogueDirectory = {
  url: '/AccountAdministration',
  name: '账号管理',
  icon: 'user',
  pages: [],
}
