import { useTabState } from '#core/routing/tab.tsx'
import { EventList } from './event-list.tsx'
import { HookList } from './hook-list.tsx'
import { ListSwitch } from './sales-cells.tsx'

const LISTS = [
  { value: 'hooks', label: '商城回调' },
  { value: 'events', label: '回调记录' },
] as const

/** Webhooks of shops, and the events they sent. */
export function HookTab() {
  const [list, setList] = useTabState<'hooks' | 'events'>('hookList', 'hooks')
  return (
    <>
      <ListSwitch value={list} options={LISTS} onChange={setList} />
      {list === 'hooks' ? <HookList /> : <EventList />}
    </>
  )
}
