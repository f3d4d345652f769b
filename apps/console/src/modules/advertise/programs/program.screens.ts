import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const programScreens: readonly Screen[] = [
  {
    path: '/advertiseManage/ProgramList',
    title: '节目单',
    access: 'advertiseManage:ProgramList:list',
    page: () => import('./program-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/advertise/program/page'),
  },
  {
    path: '/advertiseManage/ProgramList/add',
    title: '新增节目单',
    access: 'advertiseManage:ProgramList:add',
    under: '/advertiseManage/ProgramList',
    page: () => import('./program-add.page.tsx'),
  },
  {
    path: '/advertiseManage/ProgramList/edit/:id',
    title: '编辑节目单',
    access: 'advertiseManage:ProgramList:edit',
    under: '/advertiseManage/ProgramList',
    params: { id: /^[1-9]\d{0,9}$/ },
    page: () => import('./program-edit.page.tsx'),
  },
]
