import { scene } from '@oms/contract/scene/scene.ts'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import type { Scene } from './scene-list.page.tsx'

/** Enables or disables a scene. */
export const SceneStatus = ({ scene: { id, sceneName, status, tenantCount } }: { scene: Scene }) => (
  <EnableSwitch
    calls={scene}
    id={id}
    on={status === 1}
    name={sceneName}
    warning={
      tenantCount > 0 ? `停用后，${tenantCount} 个客户立即失去只由该场景提供的权限。` : '停用后，该场景不再提供权限。'
    }
  />
)
