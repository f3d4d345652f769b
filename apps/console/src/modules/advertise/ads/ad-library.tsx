import { PlusOutlined } from '@ant-design/icons'
import { type OfferedAdRow, programOptions } from '@oms/contract/advertise/program-options.ts'
import { formatDuration } from '@oms/contract/advertise/program-words.ts'
import { Button, Empty, Input, Select, Spin } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { computeLastPage } from '#kit/list/list-state.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { useAdTypes, AdThumb } from './ad-cells.tsx'
import { SmallPager } from '../small-pager.tsx'
import type { DraggedItem } from '../timeline/program-track.tsx'

const PAGE_SIZE = 20
const ALL_TYPES = 0

interface Props {
  readonly tenantId: number | undefined
  onAdd(ad: OfferedAdRow): void
  onDrag(dragged: DraggedItem | undefined): void
}

/** Approved ads with search. A click on an ad appends the ad to the track. Ads can also be dragged into the track. */
export function AdLibrary({ tenantId, onAdd, onDrag }: Props) {
  const [keyword, setKeyword] = useKeyword()
  const [adType, setType] = useState(ALL_TYPES)
  const [pageNum, setPage] = useState(1)
  const { data, error, refetch, isFetching } = useRead(
    programOptions.ads,
    { keyword, pageNum, pageSize: PAGE_SIZE, ...(adType !== ALL_TYPES && { adType }), ...(tenantId && { tenantId }) },
    { quiet: true },
  )
  const last = computeLastPage(data?.total ?? 0, PAGE_SIZE)
  if (data && pageNum > last) setPage(last)
  const onFirstPage =
    <T,>(set: (next: T) => void) =>
    (next: T) => {
      set(next)
      setPage(1)
    }
  return (
    <section className="ad-library kit-card" aria-label="广告库">
      <h2 className="kit-card-title">
        已审核广告
        {isFetching && <Spin size="small" />}
      </h2>
      <Filters adType={adType} onKeyword={onFirstPage(setKeyword)} onType={onFirstPage(setType)} />
      {!data && <Waiting reads={[{ error, refetch }]} rows={6} />}
      {data?.list.length === 0 && <Empty description={keyword ? '没有找到' : '还没有已通过审核的广告'} />}
      <ul className="ad-offers">
        {data?.list.map((ad) => (
          <Offer key={ad.id} ad={ad} onAdd={onAdd} onDrag={onDrag} />
        ))}
      </ul>
      {last > 1 && <SmallPager pages={last} pageNum={pageNum} onPage={setPage} />}
    </section>
  )
}

interface FiltersProps {
  readonly adType: number
  onKeyword(text: string): void
  onType(adType: number): void
}

function Filters({ adType, onKeyword, onType }: FiltersProps) {
  const types = useAdTypes().options
  return (
    <>
      <Input
        allowClear
        aria-label="搜索广告"
        placeholder="搜索广告名称或广告主"
        maxLength={30}
        onChange={({ target }) => onKeyword(target.value)}
      />
      <Select
        aria-label="广告类型"
        value={adType}
        options={[{ value: ALL_TYPES, label: '全部类型' }, ...types]}
        onChange={onType}
      />
    </>
  )
}

const Offer = ({ ad, onAdd, onDrag }: { ad: OfferedAdRow } & Pick<Props, 'onAdd' | 'onDrag'>) => (
  <li
    className="ad-offer"
    draggable
    onDragStart={({ dataTransfer }) => {
      dataTransfer.effectAllowed = 'copy'
      dataTransfer.setData('text/plain', ad.adName)
      onDrag({ kind: 'ad', ad })
    }}
    onDragEnd={() => onDrag(undefined)}
  >
    <AdThumb ad={ad} />
    <span className="ad-offer-text">
      <b title={ad.adName}>{ad.adName}</b>
      {ad.advertiser && <small title={ad.advertiser}>{ad.advertiser}</small>}
      <small>{formatDuration(ad.duration)}</small>
    </span>
    <Button
      type="text"
      size="small"
      icon={<PlusOutlined />}
      aria-label={`添加 ${ad.adName}`}
      title="添加到节目单"
      onClick={() => onAdd(ad)}
    />
  </li>
)
