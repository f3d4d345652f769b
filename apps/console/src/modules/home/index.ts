import type { Screen } from '#core/routing/screens.ts'

export const homeScreens: readonly Screen[] = [
  {
    path: '/indexScreen',
    title: '首页',
    access: 'session',
    plain: true,
    page: () => import('./home.page.tsx'),
    prefetch: () => [
      {
        path: '/api/v1/home/blocks',
        input: {},
        next: ({ blocks }: { blocks: readonly { key: string }[] }) =>
          blocks.map(({ key }) => ({ path: '/api/v1/home/summary', input: { block: key } })),
      },
      { path: '/api/v1/home/todo', input: {} },
    ],
  },
  {
    path: '/bigScreen',
    title: '运营大屏',
    access: 'index:indexScreen:bigScreen',
    bare: true,
    plain: true,
    page: () => import('./big-screen.page.tsx'),
  },
]
