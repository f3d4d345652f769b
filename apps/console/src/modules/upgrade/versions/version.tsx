import type { OtaVersion } from '@oms/contract/upgrade/ota.ts'
import { useNavigate } from 'react-router'
import type * as z from 'zod'
import { useWrite, useRead } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

export type Version = z.output<typeof OtaVersion>

export const formatVersionName = ({ verName, verCode }: Pick<Version, 'verName' | 'verCode'>) =>
  `「${verName}」（${verCode}）`

/** Returns the row actions that the status of a version allows. */
export function useOtaActions() {
  const navigate = useNavigate()
  const { calls, noun, editPath, listPath } = useArtifactKind()
  const remove = useWrite(calls.remove)
  return (row: Version): readonly (RowAction | false)[] => [
    row.status !== 0 && {
      label: '发布',
      to: calls.get,
      onClick: () => navigate(`${listPath}/release/${row.otaId}`),
    },
    { label: '编辑', to: calls.update, onClick: () => navigate(`${editPath}/${row.otaId}`) },
    row.status === 0 && {
      label: '删除',
      to: calls.remove,
      danger: true,
      confirm: `删除${noun}${formatVersionName(row)}？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ otaId: row.otaId }),
    },
  ]
}

/** Selects an enabled device model by name or code. */
export function DeviceModelPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(deviceModels.choices, { keyword })
  const options = (read.data ?? []).map((model) => ({
    value: model.modelId,
    label: `${model.modelName}（${model.modelCode}）· ${model.typeName}`,
  }))
  return <RecordSelect {...props} placeholder="输入名称或编码搜索" source={{ options, read, onSearch }} />
}
