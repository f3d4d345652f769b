import { Button, Form, Select } from 'antd'
import { useOptionLabels } from '#kit/form/option-labels.ts'
import { useCreateInPlace } from '#kit/pickers/create-in-place.tsx'
import { useRecommendedScenes, useSceneChoices } from './use-tenant-options.ts'

interface SceneSelectProps {
  /** The form sets the value. */
  value?: readonly number[]
  onChange?: (sceneIds: number[]) => void
  id?: string
  disabled?: boolean
  /** Ids and names of the tenant's current scenes. A disabled scene is offered only when the tenant already has it. */
  had?: { readonly sceneIds: readonly number[]; readonly sceneNames: readonly string[] } | undefined
}

/** Selects the scenes of a tenant. Scenes recommended for the industry come first. */
export function SceneSelect({ value = [], onChange, had, ...control }: SceneSelectProps) {
  const { recommended, options } = useSceneOptions(had)
  useOptionLabels(control.id, options)
  const inPlace = useCreateInPlace('scene', ({ id }) => onChange?.([...value, id]))
  const missing = recommended.filter((option) => !value.includes(option.value))
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
      {missing.length > 0 && !control.disabled && (
        <Button
          type="link"
          size="small"
          className="tenant-recommended"
          onClick={() => onChange?.([...value, ...missing.map((option) => option.value)])}
        >
          加上该行业推荐的 {missing.length} 个场景
        </Button>
      )}
    </>
  )
}

/** Returns the options, and the options that are recommended for the industry. */
function useSceneOptions(had: SceneSelectProps['had']) {
  const industryId = Form.useWatch<number | undefined>('industryId')
  const scenes = useSceneChoices()
  const recommended = useRecommendedScenes(industryId)
  const offered = scenes.map(({ id, sceneName, isDefault }) => {
    const marks = [recommended.has(id) && '推荐', isDefault === 1 && '默认'].filter(Boolean).join('、')
    return { value: id, label: marks ? `${sceneName}（${marks}）` : sceneName }
  })
  const known = new Set(scenes.map(({ id }) => id))
  const off = (had?.sceneIds ?? []).flatMap((id, at) =>
    known.has(id) ? [] : [{ value: id, label: `${had?.sceneNames[at] ?? id}（已停用）` }],
  )
  const first = offered.filter((option) => recommended.has(option.value))
  const rest = offered.filter((option) => !recommended.has(option.value))
  return { recommended: first, options: scenes.length > 0 ? [...first, ...rest, ...off] : [] }
}
