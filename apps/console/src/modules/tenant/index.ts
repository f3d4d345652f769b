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
    page: () => import('./apply-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/user/apply/list'),
  },
  {
    path: '/system/sceneManagement',
    title: '业务场景',
    access: 'system:sceneManagement:list',
    page: () => import('./scene-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/scene/page'),
  },
  {
    path: '/tenantManage/industry',
    title: '行业管理',
    access: 'tenantManage:industry:list',
    page: () => import('./industry.page.tsx'),
  },
]

addCreateForm('tenant', {
  label: '新增客户',
  access: 'tenantManage:tenant:add',
  load: () => import('./tenant-form.tsx'),
  part: 'TenantCreate',
})
addCreateForm('industry', {
  label: '新增行业',
  access: 'tenantManage:industry:add',
  allTenants: true,
  load: () => import('./industry-form.tsx'),
  part: 'IndustryCreate',
})
addCreateForm('scene', {
  label: '新增业务场景',
  access: 'system:sceneManagement:add',
  allTenants: true,
  load: () => import('./scene-dialogs.tsx'),
  part: 'SceneAddForm',
})
