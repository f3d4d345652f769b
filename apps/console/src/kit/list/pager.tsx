import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import { MAX_ROWS, PAGE_SIZES } from '@oms/contract/core/page.ts'
import { Button } from 'antd'
import { useRef } from 'react'
import { scrollToTop } from '#core/routing/scroll.ts'
import '#kit/kit.css'
import { computeLastPage, listShownPages, formatTotal } from './list-state.ts'
import { Select } from '#kit/form/select.tsx'
import { useIsNarrowWidth } from '#kit/table/use-media.ts'

interface PagerProps {
  total: number
  isEstimate: boolean
  pageNum: number
  pageSize: number
  onPage(pageNum: number, pageSize: number): void
}

/** Pager of a list: 5 page numbers below 992 px, otherwise 7; never beyond row 10,000. */
export function Pager({ total, isEstimate, pageNum, pageSize, onPage }: PagerProps) {
  const place = useRef<HTMLElement>(null)
  const narrow = useIsNarrowWidth()
  const last = computeLastPage(total, pageSize)
  const go = (page: number) => {
    onPage(page, pageSize)
    scrollToTop(place.current)
  }
  return (
    <nav className="kit-pager" aria-label="分页" ref={place}>
      <span className="kit-pager-total">共 {formatTotal(total, isEstimate)} 条</span>
      {last === pageNum && total > MAX_ROWS && (
        <span className="kit-pager-hint">仅展示前 {MAX_ROWS} 条，请缩小筛选范围</span>
      )}
      <Step to={pageNum - 1} disabled={pageNum <= 1} name="上一页" icon={<LeftOutlined />} go={go} />
      {listShownPages(pageNum, last, narrow ? 5 : 7).map((page, index) =>
        page === '…' ? (
          <span key={`gap-${index}`} aria-hidden className="kit-pager-gap">
            …
          </span>
        ) : (
          <PageButton key={page} page={page} current={page === pageNum} go={go} />
        ),
      )}
      <Step to={pageNum + 1} disabled={pageNum >= last} name="下一页" icon={<RightOutlined />} go={go} />
      <Select
        aria-label="每页条数"
        value={pageSize}
        options={PAGE_SIZES.map((size) => ({ value: size, label: `${size} 条/页` }))}
        onChange={(size) => onPage(1, size)}
        popupMatchSelectWidth={false}
      />
    </nav>
  )
}

function PageButton({ page, current, go }: { page: number; current: boolean; go(page: number): void }) {
  return (
    <Button
      className="kit-pager-page"
      type={current ? 'primary' : 'text'}
      aria-label={`第 ${page} 页`}
      aria-current={current ? 'page' : undefined}
      onClick={() => go(page)}
    >
      {page}
    </Button>
  )
}

function Step(props: { to: number; disabled: boolean; name: string; icon: React.ReactNode; go(page: number): void }) {
  const { to, disabled, name, icon, go } = props
  return (
    <Button
      className="kit-pager-page"
      type="text"
      disabled={disabled}
      aria-label={name}
      icon={icon}
      onClick={() => go(to)}
    />
  )
}
