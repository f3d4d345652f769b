import type { ApiErrorData } from '@oms/contract/core/envelope.ts'
import { Button, Flex } from 'antd'
import { dialogs } from '#core/loading/overlays.ts'

type Conflict = NonNullable<ApiErrorData['conflict']>

/** Actions after an optimistic lock conflict. The dialog has no button for an absent action. */
interface ConflictActions {
  /** Loads the changes of the other person into the form, and keeps the fields that the user changed. */
  readonly reload?: (() => void) | undefined
  readonly overwrite?: (() => void) | undefined
}

/** Returns the title and the first sentence of the dialog. Both differ when the same account saved in another window. */
export function describeConflict({ by, isOwn, at }: Conflict) {
  if (isOwn) return { title: '内容已在别处修改', text: `您于 ${at} 已在其他页面或设备上修改了这条数据。` }
  // The author is empty when a scheduled job saved the record or the account was deleted.
  return { title: '内容已被他人修改', text: `${by || '系统'} 于 ${at} 已修改了这条数据。` }
}

/** Opens the dialog for an optimistic lock conflict. Shows who saved first and when. The form keeps the typed values. */
export function askConflict(conflict: Conflict, { reload, overwrite }: ConflictActions) {
  const { title, text } = describeConflict(conflict)
  const dialog = dialogs.confirm({
    title,
    content: `${text}您填写的内容仍保留在表单中。`,
    footer: () => (
      <Flex justify="end" gap="small" wrap>
        {reload && <Button onClick={() => (dialog.destroy(), reload())}>加载最新</Button>}
        {overwrite && (
          <Button danger onClick={() => (dialog.destroy(), overwrite())}>
            覆盖保存
          </Button>
        )}
        <Button type="primary" autoFocus onClick={() => dialog.destroy()}>
          继续编辑
        </Button>
      </Flex>
    ),
  })
}
