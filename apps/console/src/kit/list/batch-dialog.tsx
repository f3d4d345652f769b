import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Modal, Progress } from 'antd'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { refreshReads, readResourceName } from '#core/api/query.ts'
import { toast } from '#core/loading/toast.ts'
import { type Failure, runBatch } from './batch.ts'
import type { BatchActionProps } from './batch-action.tsx'
import '#kit/kit.css'

/** Confirms once with the names of the rows and the effect, calls the endpoint for each row, and reports the error of each failed row. */
export function BatchDialog<Row, E extends Endpoint>(props: BatchActionProps<Row, E> & { onClose(): void }) {
  const { label, picked, nameOf, danger, effect, onClose } = props
  const { rows, done, failures, run } = useBatch(props)
  const running = done !== undefined && !failures
  return (
    <Modal
      open
      title={failures ? `${label}结果` : `${label} ${rows.length} 项`}
      okText={failures ? '重试失败项' : label}
      cancelText={failures ? '关闭' : '取消'}
      confirmLoading={running}
      closable={!running}
      okButtonProps={{ danger: danger === true }}
      cancelButtonProps={{ disabled: running }}
      onOk={run}
      onCancel={() => {
        if (running) return
        if (failures) picked.clear()
        onClose()
      }}
    >
      {done === undefined && <Names names={rows.map(nameOf)} />}
      {done === undefined && effect && <p className="kit-batch-effect">{effect}</p>}
      {running && <Progress percent={Math.round((done / rows.length) * 100)} format={() => `${done}/${rows.length}`} />}
      {failures && <Report total={rows.length} failures={failures} nameOf={nameOf} />}
    </Modal>
  )
}

function useBatch<Row, E extends Endpoint>(props: BatchActionProps<Row, E> & { onClose(): void }) {
  const { label, to, picked, input, onClose } = props
  const client = useQueryClient()
  const [rows, setRows] = useState(picked.rows)
  const [done, setDone] = useState<number>()
  const [failures, setFailures] = useState<readonly Failure<Row>[]>()
  const run = async () => {
    const todo = failures ? failures.map(({ row }) => row) : rows
    setRows(todo)
    setFailures(undefined)
    setDone(0)
    const failed = await runBatch(todo, (row) => call(to, input(row), { quiet: true }), setDone)
    await refreshReads(client, { resource: readResourceName(to), path: to.path })
    if (failed.length > 0) return setFailures(failed)
    toast.success(`已${label} ${todo.length} 项`)
    onClose()
    picked.clear()
  }
  return { rows, done, failures, run }
}

function Names({ names }: { names: readonly string[] }) {
  const shown = names.slice(0, 8)
  return (
    <p className="kit-muted">
      {shown.join('、')}
      {names.length > shown.length && ` 等 ${names.length} 项`}
    </p>
  )
}

function Report<Row>(props: { total: number; failures: readonly Failure<Row>[]; nameOf(row: Row): string }) {
  const { total, failures, nameOf } = props
  return (
    <div role="status">
      <p>
        成功 {total - failures.length} 项，失败 {failures.length} 项：
      </p>
      <ul className="kit-items kit-report">
        {failures.map(({ row, reason }) => (
          <li key={nameOf(row)}>
            <b>{nameOf(row)}</b> {reason}
          </li>
        ))}
      </ul>
    </div>
  )
}
