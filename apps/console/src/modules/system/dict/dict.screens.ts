import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const dictScreens: readonly Screen[] = [
  {
    path: '/system/systemDict',
    title: '字典管理',
    access: 'system:systemDict:list',
    page: () => import('./dict-type-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/dict/type/list'),
  },
  {
    path: '/system/dict/data/index/:dictId',
    title: '字典数据',
    access: 'system:systemDict:query',
    under: '/system/systemDict',
    params: { dictId: /^\d{1,10}$/ },
    page: () => import('./dict-data-list.page.tsx'),
  },
]
