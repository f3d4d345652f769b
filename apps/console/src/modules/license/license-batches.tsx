import { licenseCerts, LicenseBatchQuery } from '@oms/contract/license.ts'
import { LicenseBatchRow } from '@oms/contract/license-rows.ts'
import { Link } from '#kernel/router.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { Ellipsis } from '#kit/ellipsis.tsx'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { time } from '#kit/time.tsx'
import { useInnerList } from '#kit/use-list.ts'
import { listAddress } from './license-cells.tsx'

/** The deliveries; each number leads to its certificates. */
export function LicenseBatches({ onOpen }: { onOpen(): void }) {
  const list = useInnerList(licenseCerts.batches)
  const of = LicenseBatchQuery
  const { col } = columnsOf(LicenseBatchRow)
  const number = (n: number, row: LicenseBatchRow, state?: number) =>
    n === 0 ? (
      0
    ) : (
      <Link to={listAddress({ batchId: row.id, state })} onClick={onOpen}>
        {n.toLocaleString()}
      </Link>
    )
  const states = (['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const).map(
    (key, state) => col(key, (n, row) => number(n, row, state), { width: 90, align: 'right' }),
  )
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={of} name="batchNo" />
        <SelectFilter of={of} name="vendor" />
        <Filter of={of} name="orderNo" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="batches"
        rowKey="id"
        columns={[
          col(
            'batchNo',
            (no, row) => (
              <Link to={listAddress({ batchId: row.id })} onClick={onOpen}>
                <Ellipsis text={no} />
              </Link>
            ),
            { width: 160 },
          ),
          col('vendor', { width: 80 }),
          col('total', (n, row) => number(n, row), { width: 100, align: 'right', sort: true }),
          ...states,
          col('orderNo', { width: 130 }),
          col('createByName', { width: 110 }),
          col('createTime', time, { width: 170, sort: true }),
          col('fileName', { width: 160, hidden: true }),
          col('remark', { width: 160, hidden: true }),
        ]}
        empty={{ text: '还没有批次', hint: '每次导入的证书记为一个批次。' }}
      />
    </>
  )
}
