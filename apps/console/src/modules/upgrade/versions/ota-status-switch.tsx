import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { OTA_MESSAGES, OTA_STATUS } from '@oms/contract/upgrade/ota.ts'
import { Spin } from 'antd'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { toast } from '#core/loading/toast.ts'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useArtifactKind } from './artifact-kind.ts'
import { formatVersionName, type Version } from './use-ota-actions.tsx'

const RecallNote = lazyAfterRender(() => import('./recall-note.tsx'), 'RecallNote')

/** Enables or disables a version after its effects were shown. */
export function OtaStatusSwitch({ row }: { readonly row: Version }) {
  const { calls, noun } = useArtifactKind()
  const can = useCan()
  const enable = useEnable()
  const disable = useDisable()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={`${noun}${formatVersionName(row)}`}
      reason={can((row.status === 1 ? calls.disable : calls.enable).access) ? undefined : NO_STATUS_PERMISSION}
      confirms
      offText={OTA_STATUS[row.status === 0 ? 0 : 2]}
      onChange={(on) => (on ? enable(row) : disable(row))}
    />
  )
}

/** Confirms, and keeps the confirmation open while the server reads all components again. */
function useEnable() {
  const { calls, noun } = useArtifactKind()
  const { mutateAsync } = useWrite(calls.enable)
  return async (row: Version) => {
    if (row.modelId === null) return toast.warning(OTA_MESSAGES.noModel)
    if (row.components === 0) return toast.warning(OTA_MESSAGES.empty)
    const dialog = dialogs.confirm({
      title: `${ENABLED_LABELS.enable}${noun}${formatVersionName(row)}？`,
      content: `启用前服务器会重新读取 ${row.components} 个组件并比对校验值。启用后，版本号、型号和组件不能再修改，版本不能删除。`,
      okText: ENABLED_LABELS.enable,
      cancelText: '取消',
      onOk: async () => {
        dialog.update({ content: <Verifying />, cancelButtonProps: { disabled: true } })
        // The call has shown its error; the confirmation only closes.
        await mutateAsync({ otaId: row.otaId }).catch(() => {})
      },
    })
  }
}

function useDisable() {
  const artifact = useArtifactKind()
  const { calls, noun } = artifact
  const can = useCan()
  const { mutateAsync } = useWrite(calls.disable)
  return async (row: Version) => {
    const name = `${noun}${formatVersionName(row)}`
    dialogs.confirm({
      title: ENABLED_LABELS.disable,
      content: can(calls.get.access) ? (
        <RecallNote artifact={artifact} otaId={row.otaId} name={name} />
      ) : (
        `${ENABLED_LABELS.disable}${name}？停用后设备不再收到它，已升级的设备不受影响。`
      ),
      okText: ENABLED_LABELS.disable,
      okButtonProps: { danger: true },
      cancelText: '取消',
      onOk: () => mutateAsync({ otaId: row.otaId }).catch(() => {}),
    })
  }
}

const Verifying = () => (
  <span role="status">
    <Spin size="small" /> 正在校验文件…
  </span>
)
