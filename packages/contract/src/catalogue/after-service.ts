import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const AFTER_SERVICE: CatalogueDirectory = {
  url: '/AfterService',
  name: '售后服务',
  icon: 'customer-service',
  pages: [],
}
