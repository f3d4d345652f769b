import { scene } from '@oms/contract/scene.ts'
import { Switch, Tag } from 'antd'
import { useState } from 'react'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useImpactQuestion } from './use-impact-question.tsx'
import type { Scene } from './scene-list.page.tsx'

/** On or off; switched only after its effect on customers was shown. */
export function SceneStatus({ scene: { id, sceneName, status } }: { scene: Scene }) {
  const can = useCan()
  const [busy, setBusy] = useState(false)
  const enable = useWrite(scene.enable)
  const disable = useWrite(scene.disable)
  const ask = useImpactQuestion()
  if (!can(scene.enable.access)) return status === 1 ? <Tag color="green">启用</Tag> : <Tag>停用</Tag>
  const change = async (on: boolean) => {
    setBusy(true)
    const verb = on ? '启用' : '停用'
    const sure = await ask(
      { id, status: on ? 1 : 0 },
      { title: `${verb}「${sceneName}」？`, okText: verb, always: true },
    )
    if (sure) await (on ? enable : disable).mutateAsync({ id }).catch(() => {})
    setBusy(false)
  }
  return (
    <Switch
      className="kit-switch"
      checked={status === 1}
      loading={busy}
      aria-label={`${sceneName}：启用或停用`}
      checkedChildren="启用"
      unCheckedChildren="停用"
      onChange={(on) => void change(on)}
    />
  )
}
