import { DictTypeRow } from '@oms/contract/system/dict-type.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import type { DictType } from './dict-type-list.page.tsx'
import { useCan } from '#core/auth/session.tsx'
import { logs } from '@oms/contract/system/log.ts'

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

/** Shows the details and the history of a dictionary. */
export function DictTypeDrawer(props: Props) {
  const can = useCan()
  return (
    <DetailDrawer {...props} rowKey="dictId" title={({ dictName }) => `字典「${dictName}」`}>
      {(row) => (
        <>
          <Descriptions row={row} items={ITEMS} />
          {can(logs.history.access) && (
            <>
              <h3 className="kit-heading">操作记录</h3>
              <RecordHistory bizType="dictType" bizId={row.dictId} />
            </>
          )}
        </>
      )}
    </DetailDrawer>
  )
}
