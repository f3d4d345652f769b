import { agentModels, ModelRow, PRICE_UNITS } from '@oms/contract/agent/models/config.ts'
import { MODEL_TYPES, type ModelType } from '@oms/contract/agent/models/model-config.ts'
import { Button, Tabs, Tag } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
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
import { createColumns, renderPlainCell } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'

const ModelAddForm = lazyAfterRender(() => import('./model-form.tsx'), 'ModelAddForm')
const ModelEditForm = lazyAfterRender(() => import('./model-form.tsx'), 'ModelEditForm')
const ProviderDrawer = lazyAfterRender(() => import('./provider-drawer.tsx'), 'ProviderDrawer')
const ModelTestDialog = lazyAfterRender(() => import('./provider-drawer.tsx'), 'ModelTestDialog')
const ModelHistory = lazyAfterRender(() => import('#kit/record/history-drawer.tsx'), 'HistoryDrawer')

const TABS = Object.entries(MODEL_TYPES).map(([key, label]) => ({ key, label: `${label} ${key}` }))
const isModelType = (view: string): view is ModelType => Object.hasOwn(MODEL_TYPES, view)
const { col, actions } = createColumns(ModelRow)
const QUERY = agentModels.list.input
const COLUMNS = [
  col('name', (name, row) => <ModelName name={name} row={row} />, { width: 210, sort: true }),
  col('code', { width: 185, sort: true }),
  col('providerName', { width: 150 }),
  col('tenantName', { width: 110 }),
  col('status', (_, row) => <ModelStatus row={row} />, { width: 85 }),
  col('priceIn', (_, row) => renderPlainCell(formatPrices(row) || '-'), { width: 170, hidden: true }),
  col('useCount', (count) => (count > 0 ? `${count} 个` : '-'), { width: 70, align: 'right' }),
  col('sort', { width: 70, align: 'right', sort: true, hidden: true }),
  col('remark', { width: 160, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

/** Lists the configured models, with one tab per type. */
export default function ModelListPage() {
  const [view, setView] = useView('LLM')
  const type = isModelType(view) ? view : 'LLM'
  return (
    <Page tabs={<Tabs activeKey={type} onChange={setView} items={TABS} />}>
      <ModelList key={type} type={type} />
    </Page>
  )
}

function ProviderButton({ type }: { type: ModelType }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Allowed to={{ access: 'agent:config:provider' }}>
      <Button onClick={() => setOpen(true)}>字段管理</Button>
      {isOpen && <ProviderDrawer type={type} onClose={() => setOpen(false)} />}
    </Allowed>
  )
}

type Opened = { readonly kind: 'new' } | { readonly kind: 'edit' | 'test' | 'history'; readonly row: ModelRow }

function ModelList({ type }: { type: ModelType }) {
  const list = useList(agentModels.list, { type })
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const rowActions = useModelActions(setOpened)
  const add = <AddButton to={agentModels.create} noun="模型" onAdd={() => setOpened({ kind: 'new' })} />
  return (
    <>
      <ModelSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={
          <>
            {add}
            <ProviderButton type={type} />
          </>
        }
        empty={{ text: `还没有${MODEL_TYPES[type]}模型`, action: add }}
      />
      {opened?.kind === 'new' && <ModelAddForm type={type} onClose={close} />}
      {opened?.kind === 'edit' && <ModelEditForm row={opened.row} onClose={close} />}
      {opened?.kind === 'test' && <ModelTestDialog row={opened.row} onClose={close} />}
      {opened?.kind === 'history' && (
        <ModelHistory name={opened.row.name} bizType="agentModel" bizId={opened.row.id} onClose={close} />
      )}
    </>
  )
}

function ModelSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="code" />
      <SelectFilter of={QUERY} name="status" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

function useModelActions(onOpen: (opened: Opened) => void) {
  const remove = useWrite(agentModels.remove)
  const copy = useWrite(agentModels.copy)
  const setDefault = useWrite(agentModels.setDefault)
  return (row: ModelRow) => {
    if (!row.isEditable) return <span className="kit-none">平台提供</span>
    const { id, name } = row
    return (
      <RowActions
        items={[
          { label: '编辑', to: agentModels.update, onClick: () => onOpen({ kind: 'edit', row }) },
          { label: '测试', to: agentModels.test, onClick: () => onOpen({ kind: 'test', row }) },
          row.isDefault === 0 && {
            label: '设为默认',
            to: agentModels.setDefault,
            reason: row.status === 1 ? undefined : '已停用的模型不能设为默认',
            onClick: () => setDefault.mutateAsync({ id }),
          },
          { label: '复制', to: agentModels.copy, onClick: () => copy.mutateAsync({ id }) },
          { label: '操作记录', to: agentModels.list, onClick: () => onOpen({ kind: 'history', row }) },
          {
            label: '删除',
            to: agentModels.remove,
            danger: true,
            reason: row.isDefault === 1 ? '默认模型不能删除，请先将其他模型设为默认' : undefined,
            confirm: `删除模型「${name}」及其密钥？正在使用的模型不能删除。`,
            onClick: () => remove.mutateAsync({ id }),
          },
        ]}
      />
    )
  }
}

const ModelName = ({ name, row }: { name: string; row: ModelRow }) => (
  <span className="kit-row">
    {name}
    {row.isDefault === 1 && <Tag color="blue">默认</Tag>}
    {row.relay === 1 && <Tag>经由平台</Tag>}
    {row.docLink && (
      <a href={row.docLink} target="_blank" rel="noreferrer noopener">
        文档
      </a>
    )}
  </span>
)

const ModelStatus = ({ row }: { row: ModelRow }) =>
  row.isEditable ? (
    <EnableSwitch
      calls={agentModels}
      id={row.id}
      on={row.status === 1}
      name={row.name}
      reason={row.isDefault === 1 ? '默认模型不能停用，请先将其他模型设为默认' : undefined}
      warning="停用后，使用它的设备下次连接时改用备用模型；没有备用模型时，大语言模型和语音合成停用会使这些设备不能对话。"
    />
  ) : (
    <EnabledTag on={row.status === 1} />
  )

/** Formats the prices of a model with their units; empty without a price. */
function formatPrices({ type, priceIn, priceOut }: Pick<ModelRow, 'type' | 'priceIn' | 'priceOut'>) {
  const units = PRICE_UNITS[type]
  if (!units || priceIn + priceOut === 0) return ''
  if (units.in && units.out) return `入 ${formatFenAsYuan(priceIn)} / 出 ${formatFenAsYuan(priceOut)} ${units.in}`
  return `${formatFenAsYuan(units.in ? priceIn : priceOut)} ${units.in ?? units.out}`
}
