import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { scene } from '@oms/contract/scene/scene.ts'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useImpactQuestion } from './use-impact-question.tsx'
import type { Scene } from './scene-list.page.tsx'

/** Enables or disables a scene after its effect on tenants was shown. */
export function SceneStatus({ scene: { id, sceneName, status } }: { scene: Scene }) {
  const mayCall = useMayCall()
  const enable = useWrite(scene.enable)
  const disable = useWrite(scene.disable)
  const ask = useImpactQuestion()
  const change = async (on: boolean) => {
    const verb = on ? ENABLED_LABELS.enable : ENABLED_LABELS.disable
    const words = { title: `${verb}「${sceneName}」？`, okText: verb, always: true }
    if (await ask({ id, status: on ? 1 : 0 }, words)) await (on ? enable : disable).mutateAsync({ id })
  }
  return (
    <StatusSwitch
      on={status === 1}
      name={sceneName}
      reason={mayCall(scene.enable) ? undefined : NO_STATUS_PERMISSION}
      confirms
      onChange={change}
    />
  )
}
