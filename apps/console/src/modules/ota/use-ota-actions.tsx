import { OTA_MESSAGES, type OtaVersion } from '@oms/contract/ota.ts'
import { Spin } from 'antd'
import { useNavigate } from 'react-router'
import type * as z from 'zod'
import { later } from '#kernel/later.tsx'
import { dialogs } from '#kernel/overlays.ts'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { toast } from '#kernel/toast.ts'
import type { RowAction } from '#kit/row-actions.tsx'
import { useFamily } from './family.ts'
import type { RangeSubject } from './range-drawer.tsx'

const EnableNote = later(() => import('./enable-note.tsx'), 'EnableNote')
const RecallNote = later(() => import('./recall-note.tsx'), 'RecallNote')

export type Version = z.output<typeof OtaVersion>

const nameOf = ({ verName, verCode }: Pick<Version, 'verName' | 'verCode'>) => `「${verName}」（${verCode}）`

/** What can be done to one version; those that its state forbids are left out. `onRanges` shows where ranges lead. */
export function useOtaActions(onRanges: (subject: RangeSubject) => void) {
  const navigate = useNavigate()
  const family = useFamily()
  const { calls, noun, editPath, listPath } = family
  const enable = useEnable(onRanges)
  const disable = useWrite(calls.disable)
  const remove = useWrite(calls.remove)
  const can = useCan()
  return (row: Version): readonly (RowAction | false)[] => [
    row.status === 0 && { label: '编辑', to: calls.update, onClick: () => navigate(`${editPath}/${row.otaId}`) },
    row.status !== 0 && {
      label: '发布',
      to: calls.get,
      onClick: () => navigate(`${listPath}/release/${row.otaId}`),
    },
    row.status !== 1 && { label: '启用', to: calls.enable, onClick: () => enable(row) },
    { label: '版本路径', to: calls.get, onClick: () => onRanges({ version: row }) },
    row.status === 1 && {
      label: '停用',
      to: calls.disable,
      danger: true,
      confirm: can(calls.get.access) ? (
        <RecallNote family={family} otaId={row.otaId} name={`${noun}${nameOf(row)}`} />
      ) : (
        `停用${noun}${nameOf(row)}？停用后设备不再收到它，已升级的设备不受影响。`
      ),
      onClick: () => disable.mutateAsync({ otaId: row.otaId }),
    },
    row.status === 0 && {
      label: '删除',
      to: calls.remove,
      danger: true,
      confirm: `删除${noun}${nameOf(row)}？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ otaId: row.otaId }),
    },
  ]
}

/** Asks, then keeps the question open while the server reads every component again. */
function useEnable(onRanges: (subject: RangeSubject) => void) {
  const family = useFamily()
  const { calls, noun } = family
  const can = useCan()
  const { mutateAsync } = useWrite(calls.enable)
  return (row: Version) => {
    if (row.components === 0) return toast.warning(OTA_MESSAGES.empty)
    const show = () => {
      dialog.destroy()
      onRanges({ version: row })
    }
    const dialog = dialogs.confirm({
      title: `启用${noun}${nameOf(row)}？`,
      content: (
        <>
          <p>启用前服务器会重新读取 {row.components} 个组件并比对校验值。启用后，版本内容和组件不能再修改或删除。</p>
          {can(calls.get.access) && <EnableNote family={family} row={row} onShow={show} />}
        </>
      ),
      okText: '启用',
      cancelText: '取消',
      onOk: async () => {
        dialog.update({ content: <Verifying />, cancelButtonProps: { disabled: true } })
        // A refusal was told by its call; the question just closes.
        await mutateAsync({ otaId: row.otaId }).catch(() => {})
      },
    })
  }
}

const Verifying = () => (
  <span role="status">
    <Spin size="small" /> 正在校验文件…
  </span>
)
