import { type AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { useWrite } from '#core/api/query.ts'
import { toast } from '#core/loading/toast.ts'
import { useStatusAction } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'

interface Handlers {
  readonly onShow: (row: AdRow) => void
  readonly onEdit: (row: AdRow) => void
  readonly onAudit: (row: AdRow) => void
}
const DRAFT = 0
const SUBMITTED = 1
const REJECTED = 3

/** Calls of the row actions of an ad. */
export const AD_ACTION_CALLS = [
  ads.get,
  ads.audit,
  ads.update,
  ads.submit,
  ads.withdraw,
  ads.enable,
  ads.disable,
  ads.remove,
]

/**
 * Returns a function that renders the actions that the state of an ad allows. The details of a rejected ad precede the
 * next submission, because they say what to change.
 */
export function useAdActions({ onShow, onEdit, onAudit }: Handlers) {
  const submit = useWrite(ads.submit)
  const withdrawOf = useWithdraw()
  const statusActionOf = useStatusAction(ads)
  const removeOf = useRemove()
  return (row: AdRow) => {
    const { id } = row
    const reason = findBlock(row)
    const details = { label: '详情', to: ads.get, onClick: () => onShow(row) }
    return (
      <RowActions
        items={[
          row.auditStatus === SUBMITTED && {
            label: '审核',
            to: ads.audit,
            reason: row.auditRefusal || undefined,
            onClick: () => onAudit(row),
          },
          row.auditStatus !== SUBMITTED && { label: '编辑', to: ads.update, reason, onClick: () => onEdit(row) },
          row.auditStatus === REJECTED && details,
          (row.auditStatus === DRAFT || row.auditStatus === REJECTED) && {
            label: '提交审核',
            to: ads.submit,
            reason,
            onClick: () => submit.mutateAsync({ id }).then(warnWithoutAuditor, () => {}),
          },
          row.auditStatus === SUBMITTED && withdrawOf(row),
          row.auditStatus !== REJECTED && details,
          statusActionOf(statusOf(row)),
          removeOf(row),
        ]}
      />
    )
  }
}

/** Warns the submitter of an ad when no other account may audit the ad. */
function warnWithoutAuditor({ hasAuditor }: { readonly hasAuditor: boolean }) {
  if (!hasAuditor) toast.warning('目前没有其他人可以审核该广告，需要另一位有审核权限的账号')
}

/** Returns why the caller may not change an ad. */
const findBlock = ({ isBeyondScope }: AdRow) => (isBeyondScope ? AD_MESSAGES.beyondScope : undefined)

const statusOf = (row: AdRow) => ({
  id: row.id,
  on: row.enableStat === 1,
  name: `广告「${row.adName}」`,
  warning: '屏幕下次获取节目时不再播放该广告。',
  reason: findBlock(row),
})

/** Returns the action that withdraws the submitted version of an ad. */
function useWithdraw() {
  const withdraw = useWrite(ads.withdraw)
  return (row: AdRow) => ({
    label: '撤回',
    to: ads.withdraw,
    reason: findBlock(row),
    confirm: `撤回广告「${row.adName}」的审核？撤回后可修改并重新提交。`,
    onClick: () => withdraw.mutateAsync({ id: row.id }),
  })
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
