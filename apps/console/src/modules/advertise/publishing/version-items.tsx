import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { formatDuration } from '@oms/contract/advertise/program-words.ts'
import { Button, Tag } from 'antd'
import { useState } from 'react'
import { useFileUrl } from '#core/api/file-url.ts'
import { AdType } from '../ads/ad-cells.tsx'
import { AdThumb } from '../ads/ad-thumb.tsx'
import { type ComparedItem, compareItems, describeItem, type ReviewedItem } from './compare-items.ts'
import '../advertise.css'

const MAX_SHOWN = 20

interface Props {
  readonly version: ReviewedVersionView
  readonly inForce: ReviewedVersionView | null
}

/** Lists the ads of a version in their order, with the changes since the version in force. */
export function VersionItems({ version, inForce }: Props) {
  const [isAll, setAll] = useState(false)
  const { items, removed, isReordered } = compareItems(version.items, inForce?.items)
  return (
    <section className="ad-diff" aria-label="广告">
      <h3 className="kit-heading">
        广告
        <small>
          {version.items.length} 条 · 总时长 {formatDuration(version.totalDuration)}
          {isReordered && ' · 顺序已修改'}
        </small>
      </h3>
      <ol className="kit-plain">
        {(isAll ? items : items.slice(0, MAX_SHOWN)).map((each) => (
          <Item key={each.item.itemId} of={each} />
        ))}
      </ol>
      {!isAll && items.length > MAX_SHOWN && (
        <Button block onClick={() => setAll(true)}>
          显示全部 {items.length} 条
        </Button>
      )}
      {removed.length > 0 && (
        <>
          <h4 className="kit-heading">移除的广告（{removed.length} 条）</h4>
          <ul className="kit-plain">
            {removed.map((item) => (
              <Item key={item.itemId} of={{ item, isNew: false, former: [] }} isRemoved />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Item({ of: { item, isNew, former }, isRemoved = false }: { of: ComparedItem; isRemoved?: boolean }) {
  const isChanged = isNew || former.length > 0
  return (
    <li className={isChanged ? 'ad-changed' : undefined}>
      <Thumb item={item} />
      <div>
        <span className="kit-row">
          {isRemoved ? <del>{item.adName}</del> : <b>{item.adName}</b>}
          {isNew && <Tag color="success">新增</Tag>}
          {former.length > 0 && <Tag color="warning">已修改</Tag>}
          {!isRemoved && <Obstacles item={item} />}
        </span>
        <small>
          <AdType type={item.adType} />
          {describeItem(item).map(({ title, value }) => value && ` · ${title} ${value}`)}
          {item.validTo && ` · 有效期至 ${item.validTo}`}
          {item.approvalUntil && ` · 批准文号至 ${item.approvalUntil}`}
        </small>
        {former.length > 0 && (
          <small>
            原为 <del>{former.join(' · ')}</del>
          </small>
        )}
      </div>
    </li>
  )
}

const Thumb = ({ item }: { item: ReviewedItem }) => (
  <AdThumb ad={{ ...item, thumbUrl: useFileUrl(item.thumbUrl) ?? '' }} />
)

/** Tags of an ad that screens do not play. */
const Obstacles = ({ item: { approvedVer, enableStat } }: { item: ReviewedItem }) => (
  <>
    {approvedVer === 0 && <Tag color="error">未通过审核</Tag>}
    {enableStat === 0 && <Tag color="error">已停用</Tag>}
  </>
)
