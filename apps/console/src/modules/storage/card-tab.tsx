import { useTabState } from '#core/routing/tab.tsx'
import { CardBatchList } from './card-batch-list.tsx'
import { CardList } from './card-list.tsx'
import { ListSwitch } from './sales-cells.tsx'

const LISTS = [
  { value: 'batches', label: '批次' },
  { value: 'cards', label: '卡密明细' },
] as const

/** Batches of card codes, and their cards. */
export function CardTab() {
  const [list, setList] = useTabState<'batches' | 'cards'>('cardList', 'batches')
  return (
    <>
      <ListSwitch value={list} options={LISTS} onChange={setList} />
      {list === 'batches' ? <CardBatchList /> : <CardList />}
    </>
  )
}
