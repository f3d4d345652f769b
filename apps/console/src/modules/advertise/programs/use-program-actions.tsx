import { type ProgramListRow, programs } from '@oms/contract/advertise/program.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { OWN_PROGRAM_MESSAGE, programPublish } from '@oms/contract/advertise/program-publish.ts'
import { BEYOND_SCOPE_MESSAGE, PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { useNavigate } from 'react-router'
import { useWrite } from '#core/api/query.ts'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'

export const PROGRAM_LIST_PATH = '/advertiseManage/ProgramList'

/** Dialog or drawer that the list of programs shows. */
export type OpenedDialog =
  | { readonly kind: 'agenda' }
  | { readonly kind: 'delivery' | 'audit' | 'publish'; readonly row: ProgramListRow }

/** Calls of the row actions of a program. */
export const PROGRAM_ACTION_CALLS = [
  programs.get,
  programs.update,
  programs.copy,
  programs.remove,
  programChecks.delivery,
  programPublish.audit,
  programPublish.publish,
  programPublish.pause,
  programPublish.resume,
  programPublish.withdraw,
]

/** Returns a function that renders the actions on a program. */
export function useProgramActions(onShow: (row: ProgramListRow) => void, onOpen: (opened: OpenedDialog) => void) {
  const liveActions = useLiveActions()
  const navigate = useNavigate()
  const remove = useWrite(programs.remove)
  const copy = useWrite(programs.copy)
  return (row: ProgramListRow) => {
    const { id, programName, publishedVer, waitingVer, isOwnWaiting } = row
    const reason = findBlock(row)
    const edit = () => void navigate(`${PROGRAM_LIST_PATH}/edit/${id}`)
    const open = (kind: 'delivery' | 'audit' | 'publish') => () => onOpen({ kind, row })
    return (
      <RowActions
        items={[
          { label: '详情', to: programs.get, onClick: () => onShow(row) },
          { label: '编辑', to: programs.update, reason, onClick: edit },
          waitingVer > 0 && {
            label: '审批',
            to: programPublish.audit,
            reason: reason ?? (isOwnWaiting ? OWN_PROGRAM_MESSAGE : undefined),
            onClick: open('audit'),
          },
          waitingVer === 0 && { label: '发布', to: programPublish.publish, reason, onClick: open('publish') },
          publishedVer > 0 && { label: '投放进度', to: programChecks.delivery, onClick: open('delivery') },
          ...liveActions(row),
          { label: '复制', to: programs.copy, reason, onClick: () => copy.mutateAsync({ id }) },
          {
            label: '删除',
            to: programs.remove,
            danger: true,
            reason: reason ?? (isPublishedOrWaiting(row) ? '节目单已发布，请先撤回再删除' : undefined),
            confirm: `删除节目单「${programName}」？`,
            onClick: () => remove.mutateAsync({ id }),
          },
        ]}
      />
    )
  }
}

/** Returns why the caller may not change a program. */
const findBlock = ({ isBeyondScope }: ProgramListRow) => (isBeyondScope ? BEYOND_SCOPE_MESSAGE : undefined)

/** Returns whether a program is published or waits for approval, so that it must be withdrawn before deletion. */
const isPublishedOrWaiting = ({ status, waitingVer }: ProgramListRow) =>
  waitingVer > 0 || (status !== PROGRAM_STATUS.draft && status !== PROGRAM_STATUS.ended)

/** Returns the actions that pause, resume and withdraw a program in its present status. */
function useLiveActions() {
  const pause = useWrite(programPublish.pause)
  const resume = useWrite(programPublish.resume)
  const withdraw = useWrite(programPublish.withdraw)
  return (row: ProgramListRow): readonly (RowAction | false)[] => {
    const { id, programName, status, publishedVer, waitingVer } = row
    const reason = findBlock(row)
    return [
      publishedVer > 0 &&
        status !== PROGRAM_STATUS.paused && {
          label: '暂停',
          to: programPublish.pause,
          reason,
          confirm: `暂停节目单「${programName}」？屏幕将在下一次检查时停止播放。`,
          onClick: () => pause.mutateAsync({ id }),
        },
      status === PROGRAM_STATUS.paused && {
        label: '恢复',
        to: programPublish.resume,
        reason,
        onClick: () => resume.mutateAsync({ id }),
      },
      (publishedVer > 0 || waitingVer > 0) && {
        label: '撤回',
        to: programPublish.withdraw,
        reason,
        danger: true,
        confirm:
          waitingVer > 0
            ? `撤回节目单「${programName}」待审批的版本 ${waitingVer}？`
            : `撤回节目单「${programName}」？屏幕将停止播放，需要时可以重新发布。`,
        onClick: () => withdraw.mutateAsync({ id }),
      },
    ]
  }
}
