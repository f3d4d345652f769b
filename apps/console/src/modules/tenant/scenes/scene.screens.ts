import { addCreateForm } from '#core/routing/create-forms.ts'
import { prefetchFirstPage, type Screen } from '#core/routing/screens.ts'

export const sceneScreens: readonly Screen[] = [
  {
    path: '/system/sceneManagement',
    title: '业务场景',
    access: 'system:sceneManagement:list',
    page: () => import('./scene-list.page.tsx'),
    prefetch: prefetchFirstPage('/api/v1/sys/scene/page'),
  },
]

addCreateForm('scene', {
  label: '新增业务场景',
  access: 'system:sceneManagement:add',
  allTenants: true,
  load: () => import('./scene-form.tsx'),
  part: 'SceneAddForm',
})
