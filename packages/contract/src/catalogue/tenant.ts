import type { CatalogueDirectory } from '../kernel/catalogue.ts'

export const TENANTS: CatalogueDirectory = { url: '/tenantManage', name: '客户管理', icon: 'bank', pages: [] }
