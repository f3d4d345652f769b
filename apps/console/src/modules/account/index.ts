import { type Screen, prefetchFirstPage } from '#core/routing/screens.ts'
import { addCreateForm } from '#core/routing/create-forms.ts'

export const accountScreens: readonly Screen[] = [
  { path: '/account/profile', title: '编辑资料', access: 'session', page: () => import('./profile.page.tsx') },
  { path: '/account/password', title: '修改密码', access: 'session', page: () => import('./password.page.tsx') },
  { path: '/account/sessions', title: '我的会话', access: 'session', page: () => import('./sessions.page.tsx') },
  { path: '/account/mfa', title: '两步验证', access: 'session', page: () => import('./mfa.page.tsx') },
  { path: '/account/tokens', title: '访问令牌', access: 'session', page: () => import('./tokens.page.tsx') },
  { path: '/account/looks', title: '外观', access: 'session', page: () => import('./looks.page.tsx') },
  {
    path: '/system/userList',
    title: '账号列表',
    access: 'system:userList:list',
    page: () => import('./account-list/account-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/account/all/page'),
  },
  {
    path: '/userManage/index',
    title: '账号概况',
    access: 'system:userList:query',
    under: '/system/userList',
    identity: ['uid'],
    page: () => import('./account-list/account-overview.page.tsx'),
  },
  {
    path: '/system/rolemanagement',
    title: '角色管理',
    access: 'system:rolemanagement:list',
    page: () => import('./roles/role-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/role/list'),
  },
  {
    path: '/system/manager',
    title: '用户管理',
    access: 'system:manager:list',
    page: () => import('./staff/staff-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/tenant/user/list'),
  },
]

addCreateForm('role', {
  label: '新增角色',
  access: 'system:rolemanagement:add',
  load: () => import('./roles/role-form.tsx'),
  part: 'RoleForm',
})
