import { agentTemplates, TemplateRow } from '@oms/contract/agent/templates/template.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const TemplateAddForm = lazyAfterRender(() => import('./template-dialogs.tsx'), 'TemplateAddForm')
const TemplateEditForm = lazyAfterRender(() => import('./template-dialogs.tsx'), 'TemplateEditForm')
const TemplateMake = lazyAfterRender(() => import('./template-dialogs.tsx'), 'TemplateMake')
const TemplatePreview = lazyAfterRender(() => import('./template-dialogs.tsx'), 'TemplatePreview')
const TemplateHistory = lazyAfterRender(() => import('#kit/record/history-drawer.tsx'), 'HistoryDrawer')

const { col, actions } = createColumns(TemplateRow)
const QUERY = agentTemplates.list.input
const COLUMNS = [
  col('templateName', { width: 150 }),
  col('status', (_, row) => <TemplateStatus row={row} />, { width: 90 }),
  col('sort', { width: 80, align: 'right', sort: true }),
  col('llmName', { width: 180 }),
  col('ttsName', { width: 130 }),
  col('voiceName', { width: 100 }),
  col('useCount', (count) => (count > 0 ? `${count} 个` : '-'), { width: 80, align: 'right' }),
  col('tenantName', { width: 120, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, hidden: true }),
]

interface Opened {
  readonly as: 'edit' | 'preview' | 'history'
  readonly row: TemplateRow
}

/** Lists the templates of agents. */
export default function TemplateListPage() {
  const list = useList(agentTemplates.list)
  const [added, setAdded] = useState<'new' | 'make'>()
  const [opened, setOpened] = useState<Opened>()
  const rowActions = useTemplateActions(setOpened)
  const add = <AddButton to={agentTemplates.create} noun="模板" onAdd={() => setAdded('new')} />
  const make = (
    <Allowed to={agentTemplates.make}>
      <Button onClick={() => setAdded('make')}>由智能体创建</Button>
    </Allowed>
  )
  const close = () => setAdded(undefined)
  // Rows of the platform have only the preview; own rows also have their history.
  const calls = list.table.rows.some(({ isEditable }) => isEditable) ? undefined : [agentTemplates.preview]
  return (
    <Page>
      <TemplateSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, calls)]}
        actions={
          <>
            {add}
            {make}
          </>
        }
        empty={{ text: '还没有模板', action: add }}
      />
      {added === 'new' && <TemplateAddForm onClose={close} />}
      {added === 'make' && <TemplateMake onClose={close} />}
      {opened && <Opened of={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  )
}

function TemplateSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="templateName" />
      <SelectFilter of={QUERY} name="status" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

function Opened({ of: { as, row }, onClose }: { of: Opened; onClose(): void }) {
  if (as === 'edit') return <TemplateEditForm row={row} onClose={onClose} />
  if (as === 'preview') return <TemplatePreview row={row} onClose={onClose} />
  return <TemplateHistory name={row.templateName} bizType="agentTemplate" bizId={row.id} onClose={onClose} />
}

function useTemplateActions(onOpen: (opened: Opened) => void) {
  const remove = useWrite(agentTemplates.remove)
  return (row: TemplateRow) => {
    const preview = { label: '预览', to: agentTemplates.preview, onClick: () => onOpen({ as: 'preview', row }) }
    if (!row.isEditable) return <RowActions items={[preview]} />
    return (
      <RowActions
        items={[
          { label: '编辑', to: agentTemplates.update, onClick: () => onOpen({ as: 'edit', row }) },
          preview,
          { label: '操作记录', to: agentTemplates.list, onClick: () => onOpen({ as: 'history', row }) },
          {
            label: '删除',
            to: agentTemplates.remove,
            danger: true,
            confirm: `删除模板「${row.templateName}」？由它创建的智能体不受影响。`,
            onClick: () => remove.mutateAsync({ id: row.id }),
          },
        ]}
      />
    )
  }
}

const TemplateStatus = ({ row }: { row: TemplateRow }) =>
  row.isEditable ? (
    <EnableSwitch
      calls={agentTemplates}
      id={row.id}
      on={row.status === 1}
      name={row.templateName}
      warning="停用后不能用于新增智能体，已创建的智能体不受影响。"
    />
  ) : (
    <EnabledTag on={row.status === 1} />
  )
