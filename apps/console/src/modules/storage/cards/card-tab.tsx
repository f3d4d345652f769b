import { CardBatchList } from './card-batch-list.tsx'
import { CardList } from './card-list.tsx'
import { ListSwitch } from '../list-switch.tsx'

const LISTS = [
  { value: 'batches', label: '批次', panel: CardBatchList },
  { value: 'cards', label: '卡密明细', panel: CardList },
]

/** Batches of card codes, and their cards. */
export const CardTab = () => <ListSwitch lists={LISTS} />
