import { Select } from 'antd'
import { useCreateInPlace } from '#kit/pickers/create-in-place.tsx'
import { useSceneChoices } from './use-tenant-options.ts'

interface SceneSelectProps {
  /** The form sets the value. */
  value?: readonly number[]
  onChange?: (sceneIds: number[]) => void
  id?: string
  disabled?: boolean
  /** Ids and names of the tenant's current scenes. A disabled scene is offered only when the tenant already has it. */
  had?: { readonly sceneIds: readonly number[]; readonly sceneNames: readonly string[] } | undefined
}

/** Form field that selects the scenes of a tenant and can create a scene. */
export function SceneSelect({ value = [], onChange, had, ...control }: SceneSelectProps) {
  const options = useSceneOptions(had)
  const inPlace = useCreateInPlace('scene', ({ id }) => onChange?.([...value, id]))
  return (
    <>
      <Select
        {...control}
        mode="multiple"
        allowClear
        placeholder="请选择业务场景"
        showSearch={{ optionFilterProp: 'label' }}
        {...inPlace.select}
        options={options}
        value={[...value]}
        onChange={(next: number[]) => onChange?.(next)}
      />
      {inPlace.form}
    </>
  )
}

function useSceneOptions(had: SceneSelectProps['had']) {
  const scenes = useSceneChoices()
  const offered = scenes.map(({ id, sceneName, isDefault }) => ({
    value: id,
    label: isDefault === 1 ? `${sceneName}（默认）` : sceneName,
  }))
  const known = new Set(scenes.map(({ id }) => id))
  const off = (had?.sceneIds ?? []).flatMap((id, at) =>
    known.has(id) ? [] : [{ value: id, label: `${had?.sceneNames[at] ?? id}（已停用）` }],
  )
  return scenes.length > 0 ? [...offered, ...off] : []
}
