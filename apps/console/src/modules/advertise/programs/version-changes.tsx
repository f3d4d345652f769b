import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { Button, Tag } from 'antd'
import { Fragment, type ReactNode, useState } from 'react'
import { formatTarget, usePlayModes } from './program-cells.tsx'
import { WeekGrid } from '../timeline/day-parts.tsx'
import {
  compareTargets,
  describeReviewed,
  listTargetNames,
  type ComparedItem,
  compareItems,
  describeItem,
  type ReviewedItem,
} from './compare-versions.ts'
import '../advertise.css'
import { formatDuration } from '@oms/contract/advertise/program-words.ts'
import { useFileUrl } from '#core/api/file-url.ts'
import { AdType, AdThumb } from '../ads/ad-cells.tsx'

interface VersionFieldsProps {
  readonly version: ReviewedVersionView
  readonly inForce: ReviewedVersionView | null
}

/** Lists the rules and targets of a version. Changed fields also show the value of the version in force. */
export function VersionFields({ version, inForce }: VersionFieldsProps) {
  const { label: playMode } = usePlayModes()
  const before = inForce && new Map(describeReviewed(inForce, playMode).map(({ field, value }) => [field, value]))
  return (
    <section className="ad-diff" aria-label="版本内容">
      <h3 className="kit-heading">
        版本 {version.verNo}
        <small>{inForce ? `与生效中的版本 ${inForce.verNo} 比较` : '目前没有生效中的版本'}</small>
      </h3>
      <dl className="kit-facts">
        {describeReviewed(version, playMode).map(({ field, title, value }) => {
          const former = before?.get(field)
          const isChanged = former !== undefined && former !== value
          return (
            <Fragment key={field}>
              <Row title={title} isChanged={isChanged}>
                {isChanged && <del>{former}</del>} {value}
                {field === 'dayParts' && <WeekGrid weekdays={version.weekdays} parts={version.dayParts} />}
              </Row>
              {field === 'programName' && <Targets version={version} inForce={inForce} />}
            </Fragment>
          )
        })}
      </dl>
    </section>
  )
}

interface RowProps {
  readonly title: string
  readonly isChanged: boolean
  readonly children: ReactNode
}

const Row = ({ title, isChanged, children }: RowProps) => (
  <div className={isChanged ? 'ad-changed' : undefined}>
    <dt>
      {title}
      {isChanged && <small className="kit-warning">已修改</small>}
    </dt>
    <dd>{children}</dd>
  </div>
)

function Targets({ version, inForce }: VersionFieldsProps) {
  const { added, removed } = compareTargets(version, inForce)
  const [now, former] = [formatTarget(version), inForce && formatTarget(inForce)]
  const isReplaced = former !== null && former !== now
  return (
    <Row title="投放对象" isChanged={isReplaced || added.length + removed.length > 0}>
      {isReplaced && <del>{former}</del>} {now}
      {version.isDefault === 0 && <Names names={listTargetNames(version)} />}
      {added.length > 0 && <Names title={`新增 ${added.length} 个`} names={added} />}
      {removed.length > 0 && <Names title={`移除 ${removed.length} 个`} names={removed} isRemoved />}
    </Row>
  )
}

const MAX_SHOWN = 20

interface NamesProps {
  readonly title?: string
  readonly names: readonly string[]
  readonly isRemoved?: boolean
}

/** Lists up to 20 names, with a button that shows all names. */
function Names({ title, names, isRemoved = false }: NamesProps) {
  const [isAll, setAll] = useState(false)
  const text = (isAll ? names : names.slice(0, MAX_SHOWN)).join('、')
  return (
    <div>
      {title && <b>{title}：</b>}
      {isRemoved ? <del>{text}</del> : text}
      {!isAll && names.length > MAX_SHOWN && (
        <Button type="link" size="small" onClick={() => setAll(true)}>
          显示全部 {names.length} 个
        </Button>
      )}
    </div>
  )
}

/** Lists the ads of a version in their order, with the changes since the version in force. */
export function VersionItems({
  version,
  inForce,
}: {
  readonly version: ReviewedVersionView
  readonly inForce: ReviewedVersionView | null
}) {
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
