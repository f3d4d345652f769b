import { agentProducts, ProductRow, type ProductVersionRow } from '@oms/contract/agent/packages/product.ts'
import { GRANT_SCOPE } from '@oms/contract/agent/packages/package-terms.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { PackageDetailDrawer, PackageScope, PackageVersions } from '#kit/record/package-detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { PackPreview } from './pack-preview.tsx'
import { formatDays, ProductPrice } from './product-cells.tsx'

const { item, wide } = createDescriptions(ProductRow)
const ITEMS = [
  item('packageName'),
  item('packageCode'),
  wide('content'),
  item('scope'),
  item('isTrial'),
  item('activateDays', formatDays),
  item('validDays', formatDays),
  item('price', (price, { originPrice }) => <ProductPrice price={price} originPrice={originPrice} />),
  item('status'),
  item('version'),
  item('wasSold'),
  item('sort'),
  item('updateTime', time),
  wide('description'),
]
const SCOPE: Readonly<Record<number, string>> = GRANT_SCOPE

/** Package drawer: terms with preview, versions and history. */
export const ProductDrawer = (props: RecordNavigation<ProductRow>) => (
  <PackageDetailDrawer
    {...props}
    bizType="agentProduct"
    details={(row) => <Details key={row.id} row={row} />}
    versions={(row) => <Versions key={row.id} row={row} />}
  />
)

function Details({ row }: { row: ProductRow }) {
  const { data, error, refetch } = useRead(agentProducts.get, { id: row.id }, { quiet: true, keepPrevious: false })
  return (
    <>
      <Descriptions row={row} items={ITEMS} />
      {data ? <PackageScope of={data} /> : <Waiting reads={[{ error, refetch }]} rows={2} />}
      <PackPreview terms={row} />
    </>
  )
}

function Versions({ row }: { row: ProductRow }) {
  const { data, error, refetch } = useRead(agentProducts.versions, { id: row.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <PackageVersions list={data.list} current={row.version} terms={(version) => <Terms of={version} />} />
}

const Terms = ({ of }: { of: ProductVersionRow }) => (
  <>
    {of.content} · {SCOPE[of.scope]} · 有效期 {formatDays(of.validDays)} · {formatCurrency(of.price)}
  </>
)
