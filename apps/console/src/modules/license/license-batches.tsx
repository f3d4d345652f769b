import { licenseCerts, LicenseBatchQuery } from '@oms/contract/license/license.ts'
import { LicenseBatchRow } from '@oms/contract/license/license-rows.ts'
import { Link } from '#core/routing/router.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { licenseListPath, useVendorLabels, VendorName } from './license-cells.tsx'

/** Returns the columns. Links to the certificates have filters, so they show the first view of the page. */
function batchColumns() {
  const { col } = createColumns(LicenseBatchRow)
  const number = (n: number, row: LicenseBatchRow, state?: number) =>
    n === 0 ? 0 : <Link to={licenseListPath({ batchId: row.id, state })}>{n.toLocaleString()}</Link>
  const states = (['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const).map(
    (key, state) => col(key, (n, row) => number(n, row, state), { width: 90, align: 'right' }),
  )
  return [
    col(
      'batchNo',
      (no, row) => (
        <Link to={licenseListPath({ batchId: row.id })}>
          <Ellipsis text={no} />
        </Link>
      ),
      { width: 160 },
    ),
    col('vendor', (vendor) => <VendorName vendor={vendor} />, { width: 80 }),
    col('total', (n, row) => number(n, row), { width: 100, align: 'right', sort: true }),
    ...states,
    col('orderNo', { width: 130 }),
    col('createByName', { width: 110 }),
    col('createTime', time, { width: 170, sort: true }),
    col('fileName', { width: 160, hidden: true }),
    col('remark', { width: 160, hidden: true }),
  ]
}

/** Lists the delivery batches; each count links to its certificates. */
export function LicenseBatches() {
  const list = useInnerList(licenseCerts.batches)
  const of = LicenseBatchQuery
  const vendors = useVendorLabels().options
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={of} name="batchNo" />
        <SelectFilter of={of} name="vendor" options={vendors} />
        <Filter of={of} name="orderNo" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="batches"
        rowKey="id"
        columns={batchColumns()}
        empty={{ text: '还没有批次', hint: '每次导入的证书记为一个批次。' }}
      />
    </>
  )
}
