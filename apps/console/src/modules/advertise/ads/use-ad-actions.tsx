import { type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { useWrite } from '#core/api/query.ts'
import { RowActions } from '#kit/list/row-actions.tsx'

interface Handlers {
  readonly onShow: (row: AdRow) => void
  readonly onEdit: (row: AdRow) => void
  readonly onAudit: (row: AdRow) => void
}
const DRAFT = 0
const SUBMITTED = 1
const REJECTED = 3

/** Returns a function that renders the actions that the state of an ad allows. */
export function useAdActions({ onShow, onEdit, onAudit }: Handlers) {
  const submit = useWrite(ads.submit)
  const withdraw = useWrite(ads.withdraw)
  const toggleOf = useToggle()
  const removeOf = useRemove()
  return (row: AdRow) => {
    const { id, adName } = row
    return (
      <RowActions
        items={[
          row.auditStatus === SUBMITTED && {
            label: '审核',
            to: ads.audit,
            reason: row.auditRefusal || undefined,
            onClick: () => onAudit(row),
          },
          row.auditStatus !== SUBMITTED && { label: '编辑', to: ads.update, onClick: () => onEdit(row) },
          (row.auditStatus === DRAFT || row.auditStatus === REJECTED) && {
            label: '提交审核',
            to: ads.submit,
            onClick: () => submit.mutateAsync({ id }).catch(() => {}),
          },
          row.auditStatus === SUBMITTED && {
            label: '撤回',
            to: ads.withdraw,
            confirm: `撤回广告「${adName}」的审核？撤回后可修改并重新提交。`,
            onClick: () => withdraw.mutateAsync({ id }),
          },
          { label: '详情', to: ads.get, onClick: () => onShow(row) },
          toggleOf(row),
          removeOf(row),
        ]}
      />
    )
  }
}

/** Returns the action that deletes an ad, disabled while programs use the ad. */
function useRemove() {
  const remove = useWrite(ads.remove)
  return ({ id, adName, refCount }: AdRow) =>
    ({
      label: '删除',
      to: ads.remove,
      danger: true,
      reason: refCount > 0 ? `该广告被 ${refCount} 个节目单引用，不能删除` : undefined,
      confirm: `删除广告「${adName}」？已产生的播放统计不受影响。`,
      onClick: () => remove.mutateAsync({ id }),
    }) as const
}

/** Returns the action that enables or disables an ad. */
function useToggle() {
  const enable = useWrite(ads.enable)
  const disable = useWrite(ads.disable)
  return ({ id, adName, enableStat }: AdRow) =>
    enableStat === 1
      ? {
          label: '停用',
          to: ads.disable,
          confirm: `停用广告「${adName}」？屏幕下次获取节目时不再播放该广告。`,
          onClick: () => disable.mutateAsync({ id }),
        }
      : { label: '启用', to: ads.enable, onClick: () => enable.mutateAsync({ id }) }
}
