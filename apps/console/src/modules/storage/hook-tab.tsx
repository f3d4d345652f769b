import { useTabState } from '#core/routing/tab.tsx'
import { AppKeyList } from './app-key-list.tsx'
import { EventList } from './event-list.tsx'
import { HookList } from './hook-list.tsx'
import { ListSwitch } from './sales-cells.tsx'

const LISTS = [
  { value: 'hooks', label: '商城回调' },
  { value: 'events', label: '回调记录' },
  { value: 'appKeys', label: 'App密钥' },
] as const
const PANELS = { hooks: HookList, events: EventList, appKeys: AppKeyList } as const

/** Webhooks of shops with the events they sent, and the keys of Apps. */
export function HookTab() {
  const [list, setList] = useTabState<keyof typeof PANELS>('hookList', 'hooks')
  const Panel = PANELS[list]
  return (
    <>
      <ListSwitch value={list} options={LISTS} onChange={setList} />
      <Panel />
    </>
  )
}
