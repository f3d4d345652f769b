import { type Screen, prefetchFirstPage } from '#core/routing/screens.ts'

export const systemScreens: readonly Screen[] = [
  {
    path: '/system/AboutUs',
    title: '关于我们',
    access: 'system:AboutUs:list',
    page: () => import('./about.page.tsx'),
    prefetch: () => [{ path: '/api/v1/sys/about', input: {} }],
  },
  {
    path: '/system/brand',
    title: '品牌外观',
    access: 'system:brand:list',
    page: () => import('./brand.page.tsx'),
    prefetch: () => [{ path: '/api/v1/sys/brand', input: {} }],
  },
  {
    path: '/system/systemDict',
    title: '字典管理',
    access: 'system:systemDict:list',
    page: () => import('./dict/dict-type-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/dict/type/list'),
  },
  {
    path: '/system/dict/data/index/:dictId',
    title: '字典数据',
    access: 'system:systemDict:query',
    under: '/system/systemDict',
    params: { dictId: /^\d{1,10}$/ },
    page: () => import('./dict/dict-data-list.page.tsx'),
  },
  {
    path: '/system/operLog',
    title: '操作日志',
    access: 'system:operLog:list',
    page: () => import('./logs/oper-log.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/operlog/page'),
  },
  {
    path: '/system/loginLog',
    title: '登录日志',
    access: 'system:loginLog:list',
    page: () => import('./logs/login-log.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/loginlog/page'),
  },
  {
    path: '/system/systemPerm',
    title: '菜单管理',
    access: 'system:systemPerm:list',
    page: () => import('./menus/menu-list.page.tsx'),
    prefetch: () => [{ path: '/api/v1/sys/menu/list', input: {} }],
  },
  {
    path: '/system/noticeManage',
    title: '通知公告',
    access: 'system:noticeManage:list',
    page: () => import('./notices/notice-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/notice/page'),
  },
]
