import { scene } from '@oms/contract/scene/scene.ts'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import type { Scene, SceneDialogState } from './scene-list.page.tsx'

/** Returns the row actions of a scene. */
export function useSceneActions(onShow: (shown: SceneDialogState) => void, onOpen: (scene: Scene) => void) {
  const remove = useWrite(scene.remove)
  const sync = useWrite(scene.sync)
  return (row: Scene): readonly (RowAction | false)[] => [
    { label: '编辑', to: scene.update, onClick: () => onShow({ what: 'edit', scene: row }) },
    { label: '客户', to: scene.tenants, onClick: () => onShow({ what: 'tenants', scene: row }) },
    { label: '详情', onClick: () => onOpen(row) },
    {
      label: '同步',
      to: scene.sync,
      confirm: `让「${row.sceneName}」的 ${row.tenantCount} 个客户立即按最新内容重新计算权限？`,
      onClick: () => sync.mutateAsync({ id: row.id }),
    },
    {
      label: '删除',
      to: scene.remove,
      danger: true,
      reason: row.tenantCount > 0 ? `${row.tenantCount} 个客户正在使用，不能删除` : undefined,
      confirm: `删除业务场景「${row.sceneName}」？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ id: row.id }),
    },
  ]
}
