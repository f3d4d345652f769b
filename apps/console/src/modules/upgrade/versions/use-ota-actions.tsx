import type { OtaVersion } from '@oms/contract/upgrade/ota.ts'
import { useNavigate } from 'react-router'
import type * as z from 'zod'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { useArtifactKind } from './artifact-kind.ts'

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
