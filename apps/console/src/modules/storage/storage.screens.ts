import { firstPage, type Screen } from '#core/routing/screens.ts'

export const storageScreens: readonly Screen[] = [
  {
    path: '/ossManage/packageList',
    title: '云存套餐',
    access: 'ossManage:packageList:list',
    page: () => import('./package-list.page.tsx'),
    prefetch: firstPage('/api/v1/oss/package/page'),
  },
]
