import { Tabs, Tag } from 'antd'
import type { ReactNode } from 'react'
import { DetailDrawer, type RecordNavigation } from './detail-drawer.tsx'
import { createHistoryTab } from './record-history.tsx'
import { TagList } from './tag-list.tsx'
import { Time } from './time.tsx'

interface Package {
  readonly id: number
  readonly packageName: string
}

interface PackageDetailDrawerProps<Row> extends RecordNavigation<Row> {
  /** Kind of the record in the operation log. */
  readonly bizType: string
  details(row: Row): ReactNode
  versions(row: Row): ReactNode
}

/** Drawer with the details, versions and history of a package. */
export function PackageDetailDrawer<Row extends Package>({
  bizType,
  details,
  versions,
  ...props
}: PackageDetailDrawerProps<Row>) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ packageName }) => packageName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: details(row) },
            { key: 'versions', label: '版本', children: versions(row) },
            createHistoryTab(bizType, row.id),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

interface Named {
  readonly id: number
  readonly name: string
}
interface ScopeOf {
  readonly models: readonly Named[]
  readonly modelCount: number
  readonly tenants: readonly Named[]
  readonly tenantCount: number
}

/** Models and tenants that a package is limited to. The names are those that the account may see. */
export const PackageScope = ({ of: { models, modelCount, tenants, tenantCount } }: { of: ScopeOf }) => (
  <>
    <Scope title="适用型号" all="全部型号" list={models} count={modelCount} />
    <Scope title="适用客户" all="全部客户" list={tenants} count={tenantCount} />
  </>
)

interface ScopeProps {
  readonly title: string
  readonly all: string
  readonly list: readonly Named[]
  readonly count: number
}

const Scope = ({ title, all, list, count }: ScopeProps) => (
  <section>
    <h3 className="kit-heading">{title}</h3>
    {count === 0 ? (
      all
    ) : (
      <TagList>
        {list.map(({ id, name }) => (
          <Tag key={id}>{name}</Tag>
        ))}
      </TagList>
    )}
  </section>
)

interface StoredVersion {
  readonly id: number
  readonly version: number
  readonly isSold: number
  readonly createTime: string
  readonly createName: string
}

interface VersionsProps<Version> {
  readonly list: readonly Version[]
  readonly current: number
  /** Renders the terms of a version. */
  terms(version: Version): ReactNode
}

/** Versions of a package, newest first. */
export const PackageVersions = <Version extends StoredVersion>({ list, current, terms }: VersionsProps<Version>) => (
  <ul className="kit-items">
    {list.map((each) => (
      <li key={each.id}>
        <div>
          <b>版本 {each.version}</b> {each.version === current && <Tag color="blue">当前</Tag>}
          {each.isSold === 1 && <Tag>已售出</Tag>}
        </div>
        <div>{terms(each)}</div>
        <small>
          <Time at={each.createTime} /> {each.createName}
        </small>
      </li>
    ))}
  </ul>
)
