import type { ApiErrorData } from '@oms/contract/core/envelope.ts'
import { Button, Space } from 'antd'
import { dialogs } from '#core/loading/overlays.ts'
import { type ConflictRow, ConflictTable, listTypedRows } from './conflict-table.tsx'
import './conflict.css'

type Conflict = NonNullable<ApiErrorData['conflict']>

/** Label of the button that loads the chosen values into the form. Without choices, the button only loads the record. */
const MERGE = '按所选合并'

/** Actions after an optimistic lock conflict; an absent action is not offered. */
interface Ways {
  /** Fields that differ between the form and the latest record; undefined when the latest record is not known. */
  readonly rows?: readonly ConflictRow[] | undefined
  /** Loads the latest record into the form, except the rows that the user keeps. */
  readonly reload?: ((kept: readonly ConflictRow[]) => void) | undefined
  readonly overwrite?: (() => void) | undefined
}

/** Returns the title and the first sentence for a conflict; a save in another window of this account is named in the title. */
export function describeConflict({ by, isOwn, at }: Conflict) {
  if (isOwn) return { title: '内容已在别处修改', text: `您于 ${at} 已在其他页面或设备上修改了这条数据。` }
  // The author is empty when a scheduled job saved the record or the account was deleted.
  return { title: '内容已被他人修改', text: `${by || '系统'} 于 ${at} 已修改了这条数据。` }
}

/**
 * Dialog for an optimistic lock conflict. Shows who saved first, when, and the differing fields. The user continues
 * editing, loads the chosen values, or overwrites the stored record. Nothing typed is replaced without a choice.
 */
export function askConflict(conflict: Conflict, { rows, reload, overwrite }: Ways) {
  const { title, text } = describeConflict(conflict)
  const hasChoices = rows !== undefined && rows.length > 0
  let kept: readonly ConflictRow[] = listTypedRows(rows ?? [])
  const dialog = dialogs.confirm({
    title,
    width: hasChoices ? 'min(760px, calc(100vw - 32px))' : undefined,
    content: (
      <>
        {text}
        {describeRows(rows)}
        {hasChoices && <ConflictTable rows={rows} onKeep={(next) => (kept = next)} />}
      </>
    ),
    footer: () => (
      <Space wrap className="kit-conflict">
        {reload && <Button onClick={() => (dialog.destroy(), reload(kept))}>{hasChoices ? MERGE : '加载最新'}</Button>}
        {overwrite && (
          <Button danger onClick={() => (dialog.destroy(), overwrite())}>
            覆盖保存
          </Button>
        )}
        <Button type="primary" autoFocus onClick={() => dialog.destroy()}>
          继续编辑
        </Button>
      </Space>
    ),
  })
}

/** Returns the sentence that explains the table and the buttons. */
function describeRows(rows: readonly ConflictRow[] | undefined) {
  if (!rows) return '您填写的内容仍保留在表单中。'
  if (rows.length === 0) return '您填写的内容与最新内容相同。'
  return `请逐项选择要用的内容：“${MERGE}”把所选内容填入表单，“覆盖保存”全部保存您的内容。`
}
