import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const tenantScreens: readonly Screen[] = [
  {
    path: '/tenantManage/tenant',
    title: '客户信息',
    access: 'tenantManage:tenant:list',
    page: () => import('./tenant-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/page'),
  },
  {
    path: '/tenantManage/tenant/overview/:id',
    title: '客户概况',
    access: 'tenantManage:tenant:query',
    page: () => import('./tenant-overview.page.tsx'),
    params: { id: /^\d{1,10}$/ },
    under: '/tenantManage/tenant',
  },
  {
    path: '/tenantManage/userapplication',
    title: '加入申请',
    access: 'tenantManage:userapplication:list',
    page: () => import('./applications/apply-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/user/apply/list'),
  },
]

addCreateForm('tenant', {
  label: '新增客户',
  access: 'tenantManage:tenant:add',
  load: () => import('./tenant-create.tsx'),
  part: 'TenantCreate',
})

addCreateForm('industry', {
  label: '新增行业',
  access: 'tenantManage:industry:add',
  allTenants: true,
  load: () => import('./industry-form.tsx'),
  part: 'IndustryCreate',
})
