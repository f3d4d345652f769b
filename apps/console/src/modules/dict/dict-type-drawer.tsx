import { DictTypeRow, dictTypes } from '@oms/contract/dict/dict-type.ts'
import { Empty, Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import type { DictType } from './dict-type-list.page.tsx'
import { useCan } from '#core/auth/session.tsx'
import { logs } from '@oms/contract/log/log.ts'

interface Props {
  rows: readonly DictType[]
  row: DictType | undefined
  onRow(row: DictType | undefined): void
}
const { item, wide } = createDescriptions(DictTypeRow)
const ITEMS = [
  item('dictType'),
  item('dataCount'),
  item('isBuiltin', (builtin) => (builtin ? '是' : '否')),
  item('updateTime', time),
  wide('remark'),
]

/** Dictionary drawer: where it is used, and its history. */
export function DictTypeDrawer(props: Props) {
  const can = useCan()
  return (
    <DetailDrawer {...props} rowKey="dictId" title={({ dictName }) => `字典「${dictName}」`}>
      {(row) => (
        <>
          <Descriptions row={row} items={ITEMS} />
          <h3 className="dict-section">使用情况</h3>
          <Usage row={row} />
          {can(logs.history.access) && (
            <>
              <h3 className="dict-section">操作记录</h3>
              <RecordHistory bizType="dictType" bizId={row.dictId} />
            </>
          )}
        </>
      )}
    </DetailDrawer>
  )
}

function Usage({ row: { dictId, dictType } }: { row: DictType }) {
  const { data, error, refetch } = useRead(dictTypes.usage, { id: dictId }, { keepPrevious: false, quiet: true })
  const dict = useDict(dictType)
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0)
    return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="程序中没有登记使用该字典的位置" />
  return data.list.map(({ place, values }) => (
    <div key={place}>
      <p className="dict-usage-place">{place}</p>
      <ul className="dict-usage">
        {values.length === 0 && <li className="kit-none">暂无数据使用</li>}
        {values.map(({ value, count }) => (
          <li key={value}>
            <Tag>
              {dict.labelOf(value)} × {count}
            </Tag>
          </li>
        ))}
      </ul>
    </div>
  ))
}
