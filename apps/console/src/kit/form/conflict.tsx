import type { RefusalData } from '@oms/contract/core/envelope.ts'
import { Button, Space } from 'antd'
import { dialogs } from '#core/loading/overlays.ts'

type Conflict = NonNullable<RefusalData['conflict']>

/** Actions after an optimistic lock conflict; an absent action is not offered. */
interface Ways {
  readonly reload?: (() => void) | undefined
  readonly overwrite?: (() => void) | undefined
}

/**
 * Dialog for an optimistic lock conflict. Shows who saved first and when; the user continues editing, loads the
 * stored record, or overwrites it.
 */
export function askConflict({ by, at }: Conflict, { reload, overwrite }: Ways) {
  const dialog = dialogs.confirm({
    title: '内容已被他人修改',
    // The author is empty when a scheduled job saved the record or the account was deleted.
    content: `${by || '系统'} 于 ${at} 已修改了这条数据。您填写的内容仍保留在表单中。`,
    footer: () => (
      <Space wrap className="kit-conflict">
        {reload && <Button onClick={() => (dialog.destroy(), reload())}>加载最新</Button>}
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
