import { PlusOutlined } from '@ant-design/icons'
import type { AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { WordFileRow, wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const WordForm = lazyAfterRender(() => import('./word-form.tsx'), 'WordForm')

const { col, actions } = createColumns(WordFileRow)
const COLUMNS = [
  col('name', { width: 220 }),
  col('count', { width: 90, align: 'right' }),
  col('usedBy', { width: 120, align: 'right' }),
  col('updateTime', time, { width: 170 }),
]

/** Word files of the agent's tenant. */
export function WordTab({ agent }: { agent: Pick<AgentDetail, 'id' | 'agentName' | 'tenantId'> }) {
  const list = useInnerList(wordFiles.list, { tenantId: agent.tenantId })
  const [edited, setEdited] = useState<WordFileRow | 'new'>()
  const remove = useWrite(wordFiles.remove)
  const rowActions = (row: WordFileRow) => (
    <RowActions
      items={[
        { label: '编辑', to: wordFiles.update, onClick: () => setEdited(row) },
        {
          label: '删除',
          to: wordFiles.remove,
          danger: true,
          confirm: `删除替换词文件「${row.name}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  const add = (
    <Allowed to={wordFiles.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增替换词文件
      </Button>
    </Allowed>
  )
  return (
    <>
      <DataTable
        {...list.table}
        name="words"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 120, [wordFiles.update, wordFiles.remove])]}
        actions={add}
        empty={{ text: '还没有替换词文件', hint: '每行“原词|替换词”，纠正语音识别的错字' }}
      />
      {edited && <WordForm row={edited} agent={agent} onClose={() => setEdited(undefined)} />}
    </>
  )
}
