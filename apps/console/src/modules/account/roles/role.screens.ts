import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const roleScreens: readonly Screen[] = [
  {
    path: '/system/rolemanagement',
    title: '角色管理',
    access: 'system:rolemanagement:list',
    page: () => import('./role-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/role/list'),
  },
]

addCreateForm('role', {
  label: '新增角色',
  access: 'system:rolemanagement:add',
  load: () => import('./role-form.tsx'),
  part: 'RoleForm',
})
