import { PackageRow, type PackageVersionRow, storagePackages } from '@oms/contract/storage/package.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { PackageDetailDrawer, PackageScope, PackageVersions } from '#kit/record/package-detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { PackageStatus, PackagePrice, RecordTypeTag } from './package-cells.tsx'

const { item, wide } = createDescriptions(PackageRow)
const seconds = (count: number) => `${count} 秒`
const ITEMS = [
  item('packageName'),
  item('packageCode'),
  item('recordType', (type) => <RecordTypeTag type={type} />),
  item('storageDays'),
  item('period'),
  item('price', (price, { originPrice }) => <PackagePrice price={price} originPrice={originPrice} />),
  item('channels'),
  item('isTrial'),
  item('preRecord', seconds),
  item('eventRecord', seconds),
  item('prolong'),
  item('dayLimitMb', (limit) => (limit === 0 ? '不限制' : `${limit.toLocaleString()} MB`)),
  item('status', (status) => <PackageStatus status={status} />),
  item('version'),
  item('sort'),
  item('updateTime', time),
  wide('description'),
]

/** Package drawer: terms, versions and history. */
export const PackageDrawer = (props: RecordNavigation<PackageRow>) => (
  <PackageDetailDrawer
    {...props}
    bizType="storagePackage"
    details={(row) => <Details key={row.id} row={row} />}
    versions={(row) => <Versions key={row.id} row={row} />}
  />
)

function Details({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(storagePackages.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? <PackageScope of={data} /> : <Waiting reads={[{ error, refetch }]} rows={2} />}
    </>
  )
}

function Versions({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(
    storagePackages.versions,
    { id: row.id },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} />
  return <PackageVersions list={data.list} current={row.version} terms={(version) => <Terms of={version} />} />
}

const Terms = ({ of }: { of: PackageVersionRow }) => (
  <>
    <RecordTypeTag type={of.recordType} />
    保存 {of.storageDays} 天 · 有效期 {of.period} · {formatCurrency(of.price)} · {of.channels} 个通道
  </>
)
