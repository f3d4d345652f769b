import type { Screen } from '#core/routing/screens.ts'

export const accountScreens: readonly Screen[] = [
  { path: '/account/profile', title: '编辑资料', access: 'session', page: () => import('./profile.page.tsx') },
  { path: '/account/password', title: '修改密码', access: 'session', page: () => import('./password.page.tsx') },
  { path: '/account/sessions', title: '我的会话', access: 'session', page: () => import('./sessions.page.tsx') },
  { path: '/account/mfa', title: '两步验证', access: 'session', page: () => import('./mfa.page.tsx') },
]
