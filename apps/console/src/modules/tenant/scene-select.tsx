import { Button, Form, Select } from 'antd'
import { useRecommendedScenes, useSceneChoices } from './use-tenant-options.ts'

interface SceneSelectProps {
  /** Given by the form. */
  value?: readonly number[]
  onChange?: (sceneIds: number[]) => void
  id?: string
  disabled?: boolean
  /** What the customer has already, by id and name: one switched off since is offered to nobody else. */
  had?: { readonly sceneIds: readonly number[]; readonly sceneNames: readonly string[] } | undefined
}

/** The scenes a customer gets; those recommended for the chosen line of business stand first, and none is forced on it. */
export function SceneSelect({ value = [], onChange, had, ...control }: SceneSelectProps) {
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
  const missing = first.filter((option) => !value.includes(option.value))
  return (
    <>
      <Select
        {...control}
        mode="multiple"
        allowClear
        placeholder="请选择业务场景"
        showSearch={{ optionFilterProp: 'label' }}
        options={scenes.length > 0 ? [...first, ...rest, ...off] : []}
        value={[...value]}
        onChange={(next: number[]) => onChange?.(next)}
      />
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
