import { PackageRow, type PackageVersionRow, storagePackages } from '@oms/contract/storage/package.ts'
import { Empty, Tabs, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { formatMoney } from '#core/text/format.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, descriptionsOf } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { PackageStatus, Price, RecordTypeTag } from './package-cells.tsx'

const { item, wide } = descriptionsOf(PackageRow)
const seconds = (count: number) => `${count} 秒`
const ITEMS = [
  item('packageName'),
  item('packageCode'),
  item('recordType', (type) => <RecordTypeTag type={type} />),
  item('storageDays'),
  item('period'),
  item('price', (price, { originPrice }) => <Price price={price} originPrice={originPrice} />),
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
export function PackageDrawer(props: {
  rows: readonly PackageRow[]
  row: PackageRow | undefined
  onRow(row: PackageRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ packageName }) => packageName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details key={row.id} row={row} /> },
            { key: 'versions', label: '版本', children: <Versions key={row.id} row={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storagePackage" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Details({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(storagePackages.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? (
        <>
          <Scope title="适用型号" all="全部型号" list={data.models} count={data.modelCount} />
          <Scope title="适用客户" all="全部客户" list={data.tenants} count={data.tenantCount} />
        </>
      ) : (
        <Waiting reads={[{ error, refetch }]} rows={2} />
      )}
    </>
  )
}

interface ScopeProps {
  readonly title: string
  readonly all: string
  readonly list: readonly { id: number; name: string }[]
  readonly count: number
}

const Scope = ({ title, all, list, count }: ScopeProps) => (
  <section className="storage-scope">
    <h3>{title}</h3>
    {count === 0 ? all : list.map(({ id, name }) => <Tag key={id}>{name}</Tag>)}
  </section>
)

function Versions({ row }: { row: PackageRow }) {
  const { data, error, refetch } = useRead(
    storagePackages.versions,
    { id: row.id },
    { quiet: true, keepPrevious: false },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} />
  return (
    <ul className="storage-versions">
      {data.list.map((version) => (
        <Version key={version.id} of={version} isCurrent={version.version === row.version} />
      ))}
    </ul>
  )
}

const Version = ({ of, isCurrent }: { of: PackageVersionRow; isCurrent: boolean }) => (
  <li>
    <div>
      <b>版本 {of.version}</b> {isCurrent && <Tag color="blue">当前</Tag>}
      {of.isSold === 1 && <Tag>已售出</Tag>}
    </div>
    <div>
      <RecordTypeTag type={of.recordType} />
      保存 {of.storageDays} 天 · 有效期 {of.period} · ¥{formatMoney(of.price)} · {of.channels} 个通道
    </div>
    <small>
      <Time at={of.createTime} /> {of.createName}
    </small>
  </li>
)
