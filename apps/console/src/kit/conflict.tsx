import type { RefusalData } from '@oms/contract/kernel/envelope.ts'
import { Button, Space } from 'antd'
import { dialogs } from '#kernel/overlays.ts'

type Conflict = NonNullable<RefusalData['conflict']>

/** What a person does about a record that a colleague saved first; an absent way is not offered. */
interface Ways {
  readonly reload?: (() => void) | undefined
  readonly overwrite?: (() => void) | undefined
}

/** Tells who was first and when, and loses nothing typed: go on editing, take theirs, or save over it. */
export function askConflict({ by, at }: Conflict, { reload, overwrite }: Ways) {
  const dialog = dialogs.confirm({
    title: '内容已被他人修改',
    // Nobody: a clock of ours, or an account that is gone.
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
