import { appKeys } from '@oms/contract/playback/app-key.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useTabState } from '#core/routing/tab.tsx'
import { AppKeyList } from './app-key-list.tsx'
import { EventList } from './event-list.tsx'
import { HookList } from './hook-list.tsx'
import { ListSwitch } from './sales-cells.tsx'

const LISTS = [
  { value: 'hooks', label: '商城回调', to: storageHooks.list, panel: HookList },
  { value: 'events', label: '回调记录', to: storageHooks.list, panel: EventList },
  { value: 'appKeys', label: 'App密钥', to: appKeys.list, panel: AppKeyList },
] as const

/** Webhooks of shops with the events they sent, and the keys of Apps. */
export function HookTab() {
  const mayCall = useMayCall()
  const [value, setValue] = useTabState<(typeof LISTS)[number]['value']>('hookList', 'hooks')
  const lists = LISTS.filter(({ to }) => mayCall(to))
  const list = lists.find((each) => each.value === value) ?? lists[0]
  if (!list) return null
  const Panel = list.panel
  return (
    <>
      <ListSwitch value={list.value} options={lists} onChange={setValue} />
      <Panel />
    </>
  )
}
