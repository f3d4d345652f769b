import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { type IndustryNode, IndustryRow, industry } from '@oms/contract/tenant/industry.ts'
import { Button, InputNumber } from 'antd'
import { useMemo, useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { Allowed, useCan, useMayCall } from '#core/auth/session.tsx'
import { type Column, createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useRows } from '#kit/list/use-rows.ts'

const IndustryAddForm = lazyAfterRender(() => import('./industry-form.tsx'), 'IndustryAddForm')
const IndustryEditForm = lazyAfterRender(() => import('./industry-form.tsx'), 'IndustryEditForm')
const IndustryMerge = lazyAfterRender(() => import('./industry-form.tsx'), 'IndustryMerge')

/** Calls of the row actions. */
const CALLS = [industry.update, industry.create, industry.merge, industry.remove]
const { col, actions } = createColumns(IndustryRow)

type OpenLayer =
  | { readonly what: 'add'; readonly parentId: number }
  | { readonly what: 'edit' | 'merge'; readonly row: IndustryNode }

/** Lists the industries in two levels. */
export default function IndustryPage() {
  const list = useRows(industry.list)
  const tree = list.table.rows as readonly IndustryNode[]
  const shown = useMemo(() => tree.map(withoutEmpty), [tree])
  const [open, setOpen] = useState<OpenLayer>()
  const close = () => setOpen(undefined)
  const columns = [
    col('name', { width: 260 }),
    col('code', { width: 150 }),
    col('tenantCount', (count, row) => <Count id={row.id} count={count} />, { width: 90, align: 'right' }),
    col('sort', (_, row) => <Sort row={row as IndustryNode} />, { width: 120 }),
    col('status', (_, row) => <Status row={row as IndustryNode} />, { width: 100 }),
    col('remark', { width: 200 }),
    actions((row) => <Actions row={row as IndustryNode} onOpen={setOpen} />, 190, CALLS),
  ] as unknown as readonly Column<IndustryNode>[]
  return (
    <Page>
      <DataTable<IndustryNode>
        {...list.table}
        rows={shown}
        rowKey="id"
        columns={columns}
        expandable={{ defaultExpandAllRows: true }}
        actions={<Buttons onAdd={() => setOpen({ what: 'add', parentId: 0 })} />}
        empty={{ text: '还没有行业，可以新增，也可以一键导入国民经济行业门类' }}
      />
      {open?.what === 'add' && <IndustryAddForm tree={tree} parentId={open.parentId} onClose={close} />}
      {open?.what === 'edit' && <IndustryEditForm tree={tree} row={open.row} onClose={close} />}
      {open?.what === 'merge' && <IndustryMerge tree={tree} row={open.row} onClose={close} />}
    </Page>
  )
}

/** Removes an empty `children` list, because the table would show an expand icon. */
function withoutEmpty({ children, ...row }: IndustryNode): IndustryNode {
  return (children.length > 0 ? { ...row, children: children.map(withoutEmpty) } : row) as IndustryNode
}

function Count({ id, count }: { id: number; count: number }) {
  const can = useCan()('tenantManage:tenant:list')
  return can && count > 0 ? <Link to={`/tenantManage/tenant?industryId=${id}`}>{count}</Link> : count
}

function Buttons({ onAdd }: { onAdd(): void }) {
  const preset = useWrite(industry.preset)
  const ask = () =>
    dialogs.confirm({
      title: '导入常用行业？',
      content: '加入国民经济行业分类（GB/T 4754）的 20 个门类，已有的不重复加入。',
      okText: '导入',
      cancelText: '取消',
      onOk: () => preset.mutateAsync({}).catch(() => {}),
    })
  return (
    <Allowed to={industry.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={onAdd}>
        新增行业
      </Button>
      <Button icon={<ImportOutlined />} onClick={ask}>
        导入常用行业
      </Button>
    </Allowed>
  )
}

function Sort({ row }: { row: IndustryNode }) {
  const save = useWrite(industry.sort)
  const maySort = useMayCall()(industry.sort)
  const [value, setValue] = useState<number | null>(row.sort)
  const [stored, setStored] = useState(row.sort)
  if (stored !== row.sort) {
    setStored(row.sort)
    setValue(row.sort)
  }
  if (!maySort) return row.sort
  const keep = () => {
    if (value === null || value === row.sort) return setValue(row.sort)
    // Skips the save on blur when Enter has already sent the same number.
    if (save.isPending && save.variables?.list[0]?.sort === value) return
    save.mutate({ list: [{ id: row.id, sort: value }] }, { onError: () => setValue(row.sort) })
  }
  return (
    <InputNumber
      size="small"
      min={0}
      max={9999}
      precision={0}
      aria-label={`${row.name}的排序`}
      value={value}
      onChange={setValue}
      onBlur={keep}
      onPressEnter={keep}
      style={{ width: 88 }}
    />
  )
}

function Status({ row }: { row: IndustryNode }) {
  const enable = useWrite(industry.enable)
  const disable = useWrite(industry.disable)
  const mayCall = useMayCall()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={row.name}
      reason={mayCall(industry.enable) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后新客户不能选择该行业，已有客户不受影响。"
      onChange={(on) => (on ? enable : disable).mutateAsync({ id: row.id })}
    />
  )
}

function Actions({ row, onOpen }: { row: IndustryNode; onOpen(open: OpenLayer): void }) {
  const remove = useWrite(industry.remove)
  return (
    <RowActions
      items={[
        { label: '编辑', to: industry.update, onClick: () => onOpen({ what: 'edit', row }) },
        row.parentId === 0 && {
          label: '新增下级',
          to: industry.create,
          onClick: () => onOpen({ what: 'add', parentId: row.id }),
        },
        { label: '合并', to: industry.merge, onClick: () => onOpen({ what: 'merge', row }) },
        {
          label: '删除',
          to: industry.remove,
          danger: true,
          confirm: `删除行业「${row.name}」？有下级或客户的行业不能删除。`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}
