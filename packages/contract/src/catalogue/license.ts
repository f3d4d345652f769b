import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const LICENSES: CatalogueDirectory = {
  url: '/LicenseManage',
  name: 'License管理',
  icon: 'safety-certificate',
  pages: [],
}
