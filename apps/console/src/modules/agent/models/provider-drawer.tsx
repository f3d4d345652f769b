import { MODEL_TYPES, type ModelType } from '@oms/contract/agent/models/model-config.ts'
import { agentProviders, ProviderRow } from '@oms/contract/agent/models/provider.ts'
import { Drawer, Tag, Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { agentModels, type ModelRow, type ModelTest } from '@oms/contract/agent/models/config.ts'
import './model.css'

const ProviderAddForm = lazyAfterRender(() => import('./provider-form.tsx'), 'ProviderAddForm')
const ProviderEditForm = lazyAfterRender(() => import('./provider-form.tsx'), 'ProviderEditForm')

const { col, actions } = createColumns(ProviderRow)
const COLUMNS = [
  col('name', { width: 150 }),
  col('code', { width: 150 }),
  col('fields', (fields) => `${fields.length} 个`, { title: '字段', width: 70, align: 'right' }),
  col('useCount', { width: 80, align: 'right' }),
  col('isBuiltin', (isBuiltin) => <Tag>{isBuiltin === 1 ? '内置' : '自建'}</Tag>, { width: 80 }),
]

/** Drawer with the providers of a type and the fields of their models. */
export function ProviderDrawer({ type, onClose }: { type: ModelType; onClose(): void }) {
  const [isOpen, setOpen] = useState(true)
  const [edited, setEdited] = useState<ProviderRow | 'new'>()
  const list = useInnerList(agentProviders.list, { type })
  const rowActions = useProviderActions(setEdited)
  const close = () => setEdited(undefined)
  return (
    <Drawer
      open={isOpen}
      size="min(860px, 100vw)"
      title={`${MODEL_TYPES[type]}的接口与字段`}
      onClose={() => setOpen(false)}
      afterOpenChange={(shown) => !shown && onClose()}
    >
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 110, [agentProviders.update, agentProviders.remove])]}
        actions={<AddButton to={agentProviders.create} noun="接口" onAdd={() => setEdited('new')} />}
        empty={{ text: '还没有接口' }}
      />
      {edited === 'new' && <ProviderAddForm type={type} onClose={close} />}
      {edited && edited !== 'new' && <ProviderEditForm row={edited} onClose={close} />}
    </Drawer>
  )
}

function useProviderActions(onEdit: (row: ProviderRow) => void) {
  const remove = useWrite(agentProviders.remove)
  return (row: ProviderRow) => (
    <RowActions
      items={[
        { label: '编辑', to: agentProviders.update, onClick: () => onEdit(row) },
        row.isBuiltin === 0 && {
          label: '删除',
          to: agentProviders.remove,
          danger: true,
          reason: row.useCount > 0 ? `被 ${row.useCount} 个模型使用，不能删除` : undefined,
          confirm: `删除接口「${row.name}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}

/** Dialog that tests a model and shows the result. */
export function ModelTestDialog({ row, onClose }: { row: ModelRow; onClose(): void }) {
  const test = useWrite(agentModels.test)
  const isCompletion = row.type === 'LLM' || row.type === 'VLLM'
  const run = () => test.mutate({ id: row.id })
  return (
    <Modal open title={`测试模型「${row.name}」`} footer={null} onCancel={onClose} destroyOnHidden>
      <p>
        {isCompletion
          ? '向模型发送一句话并等待一个字的回复，会产生极少的费用。'
          : '只检查模型的地址能否连接，不验证密钥和参数。'}
      </p>
      <Button type="primary" loading={test.isPending} onClick={run}>
        {test.data ? '再次测试' : '开始测试'}
      </Button>
      <div className="agent-test" aria-live="polite">
        {test.data && !test.isPending && (
          <Alert
            type={test.data.isOk ? 'success' : 'error'}
            showIcon
            title={test.data.isOk ? '测试通过' : '测试未通过'}
            description={<Result {...test.data} />}
          />
        )}
      </div>
    </Modal>
  )
}

function Result({ way, isOk, firstMs, totalMs, message }: ModelTest) {
  return (
    <>
      <div>{way === 1 && isOk ? `回复：${message}` : message}</div>
      {firstMs !== null && <div>首字 {firstMs.toLocaleString()} 毫秒</div>}
      <div>总耗时 {totalMs.toLocaleString()} 毫秒</div>
    </>
  )
}
