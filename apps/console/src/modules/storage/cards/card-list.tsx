import { CARD_STATE, CardRow, storageCards } from '@oms/contract/storage/card.ts'
import { Tag } from 'antd'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const COLOR: Readonly<Record<number, string>> = { 0: 'processing', 1: 'success', 2: 'error', 3: 'default' }
const QUERY = storageCards.list.input
const { col } = createColumns(CardRow)
const COLUMNS = [
  col('batchNo', { width: 170 }),
  col('tail', { width: 110 }),
  col('packageName', { width: 190 }),
  col('state', (state) => <Tag color={COLOR[state] ?? 'default'}>{CARD_STATE[state as keyof typeof CARD_STATE]}</Tag>, {
    width: 100,
  }),
  col('validTo', { width: 120 }),
  col('sn', { width: 160 }),
  col('usedName', { width: 120 }),
  col('usedTime', time, { width: 160 }),
]

/** Lists cards by the last letters of their codes, with the device on which each card was used. */
export function CardList() {
  const list = useList(storageCards.list)
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="sn" />
        <Filter of={QUERY} name="tail" />
        <Filter of={QUERY} name="batchNo" />
        <SelectFilter of={QUERY} name="state" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="cards"
        rowKey="id"
        columns={COLUMNS}
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
