import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { Button } from 'antd'
import { Fragment, type ReactNode, useState } from 'react'
import { formatTarget, usePlayModes } from '../programs/program-cells.tsx'
import { WeekGrid } from '../timeline/week-grid.tsx'
import { compareTargets, describeReviewed, listTargetNames } from './describe-version.ts'
import '../advertise.css'

interface Props {
  readonly version: ReviewedVersionView
  readonly inForce: ReviewedVersionView | null
}

/** Lists the rules and targets of a version. Changed fields also show the value of the version in force. */
export function VersionFields({ version, inForce }: Props) {
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

function Targets({ version, inForce }: Props) {
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
