import { NOTICE_PUBLISHED, notices } from '@oms/contract/notice/notice.ts'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import type { Notice } from './notice-status.tsx'

/** Calls of the row actions that change a notice. */
export const NOTICE_ACTION_CALLS = [notices.publish, notices.revoke, notices.update, notices.remove]

/** Returns the row actions of a notice. A published notice must be withdrawn before it can be edited or deleted. */
export function useNoticeActions() {
  const publish = useWrite(notices.publish)
  const revoke = useWrite(notices.revoke)
  const remove = useWrite(notices.remove)
  return (row: Notice, onEdit: () => void): readonly RowAction[] => {
    if (!row.isEditable) return []
    const input = { id: row.noticeId }
    if (row.status === NOTICE_PUBLISHED)
      return [
        {
          label: '撤回',
          to: notices.revoke,
          danger: true,
          confirm: `撤回「${row.title}」？它会立即从所有收件人的消息中消失。`,
          onClick: () => revoke.mutateAsync(input),
        },
      ]
    return [
      {
        label: '发布',
        to: notices.publish,
        confirm: sentence(row),
        onClick: () => publish.mutateAsync(input),
      },
      { label: '编辑', to: notices.update, onClick: onEdit },
      {
        label: '删除',
        to: notices.remove,
        danger: true,
        confirm: `删除「${row.title}」？`,
        onClick: () => remove.mutateAsync(input),
      },
    ]
  }
}

const sentence = ({ title, targetCount, startTime }: Notice) =>
  `发布「${title}」，发送给 ${targetCount} 个账号${startTime ? `，${startTime} 起可见` : ''}？`
