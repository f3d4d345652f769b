import { ListSwitch } from './list-switch.tsx'
import { CreditCardOutlined, PlusOutlined } from '@ant-design/icons'
import { CardBatchRow, storageCards, CARD_STATE, CardRow } from '@oms/contract/storage/card.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { fetchFile } from '#core/api/download.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { toast } from '#core/loading/toast.ts'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { PackagePicker } from './storage-pickers.tsx'
import { State } from '#kit/record/state.tsx'

const LISTS = [
  { value: 'batches', label: '批次', panel: CardBatchList },
  { value: 'cards', label: '卡密明细', panel: CardList },
]

/** Batches of card codes, and their cards. */
export const CardTab = () => <ListSwitch lists={LISTS} />

const CardBatchForm = lazyAfterRender(() => import('./card-forms.tsx'), 'CardBatchForm')
const RedeemDialog = lazyAfterRender(() => import('./card-forms.tsx'), 'RedeemDialog')
const VoidDialog = lazyAfterRender(() => import('./card-forms.tsx'), 'VoidDialog')

const QUERY = storageCards.batches.input
const { col, actions } = createColumns(CardBatchRow)
const COLUMNS = [
  col('batchNo', { width: 146 }),
  col('packageName', { width: 150 }),
  col('count', { width: 70, align: 'right' }),
  col('used', { width: 70, align: 'right' }),
  col('voided', { width: 70, align: 'right' }),
  col('unitAmount', { width: 86, align: 'right' }),
  col('validTo', { width: 100 }),
  col('createName', { width: 90 }),
  col('createTime', time, { width: 150, hidden: true }),
  col('exportedTime', time, { width: 150, hidden: true }),
  col('remark', { width: 160, hidden: true }),
]

async function download({ id, batchNo }: CardBatchRow, onDone: () => void) {
  const result = await fetchFile(storageCards.file, { batchId: id }, `云存卡密-${batchNo}.csv`)
  if (result.kind === 'saved') toast.success('卡密文件已下载，请妥善保管')
  else if (result.kind === 'refused') toast.error(result.message)
  onDone()
}

type Open = 'create' | 'redeem' | CardBatchRow

/** Batches of cards. The file of a batch is downloaded once, by the account that created the batch. */
function CardBatchList() {
  const list = useList(storageCards.batches)
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const buttons = <Buttons onOpen={setOpen} />
  const rowActions = (row: CardBatchRow) => (
    <BatchActions row={row} onVoid={setOpen} onDownloaded={list.table.onRefresh} />
  )
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="batchNo" />
        <Filter of={QUERY} name="packageId">
          <PackagePicker />
        </Filter>
      </SearchForm>
      <DataTable
        {...list.table}
        name="card-batches"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={buttons}
        empty={{
          text: '还没有卡密',
          hint: '生成后由创建人在 24 小时内下载一次卡密文件，系统不保存卡密原文。',
          action: buttons,
        }}
      />
      {open === 'create' && <CardBatchForm onClose={close} />}
      {open === 'redeem' && <RedeemDialog onClose={close} />}
      {typeof open === 'object' && <VoidDialog row={open} onClose={close} />}
    </>
  )
}

const Buttons = ({ onOpen }: { onOpen(open: 'create' | 'redeem'): void }) => (
  <>
    <Allowed to={storageCards.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => onOpen('create')}>
        生成卡密
      </Button>
    </Allowed>
    <Allowed to={storageCards.redeem}>
      <Button icon={<CreditCardOutlined />} onClick={() => onOpen('redeem')}>
        兑换卡密
      </Button>
    </Allowed>
  </>
)

interface ActionsProps {
  readonly row: CardBatchRow
  readonly onVoid: (row: CardBatchRow) => void
  readonly onDownloaded: () => void
}

const BatchActions = ({ row, onVoid, onDownloaded }: ActionsProps) => (
  <RowActions
    items={[
      row.hasFile && {
        label: '下载文件',
        to: storageCards.file,
        confirm: `批次 ${row.batchNo} 的卡密文件只能下载一次，下载后即销毁。现在下载？`,
        onClick: () => download(row, onDownloaded),
      },
      row.used + row.voided < row.count && {
        label: '作废',
        to: storageCards.void,
        danger: true,
        onClick: () => onVoid(row),
      },
    ]}
  />
)

const COLOR: Readonly<Record<number, string>> = { 0: 'processing', 1: 'success', 2: 'error', 3: 'default' }
const CARD_QUERY = storageCards.list.input
const { col: cardColumn } = createColumns(CardRow)
const CARD_COLUMNS = [
  cardColumn('batchNo', { width: 170 }),
  cardColumn('tail', { width: 110 }),
  cardColumn('packageName', { width: 190 }),
  cardColumn('state', (state) => <State color={COLOR[state]}>{CARD_STATE[state as keyof typeof CARD_STATE]}</State>, {
    width: 100,
  }),
  cardColumn('validTo', { width: 120 }),
  cardColumn('sn', { width: 160 }),
  cardColumn('usedName', { width: 120 }),
  cardColumn('usedTime', time, { width: 160 }),
]

/** Lists cards by the last letters of their codes, with the device on which each card was used. */
function CardList() {
  const list = useList(storageCards.list)
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={CARD_QUERY} name="sn" />
        <Filter of={CARD_QUERY} name="tail" />
        <Filter of={CARD_QUERY} name="batchNo" />
        <SelectFilter of={CARD_QUERY} name="state" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="cards"
        rowKey="id"
        columns={CARD_COLUMNS}
        empty={{
          text: '还没有卡密',
          hint: '在「批次」生成卡密后，这里显示每张卡密的使用情况。',
          needs: storageCards.create,
          otherwise: '您没有生成卡密的权限，请联系平台管理员。',
        }}
      />
    </>
  )
}
