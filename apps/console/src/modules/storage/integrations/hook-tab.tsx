import { appKeys } from '@oms/contract/storage/app-key.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { AppKeyList } from './app-key-list.tsx'
import { EventList } from '../playback/event-list.tsx'
import { HookList } from './hook-list.tsx'
import { ListSwitch } from '../list-switch.tsx'

const LISTS = [
  { value: 'hooks', label: '商城回调', to: storageHooks.list, panel: HookList },
  { value: 'events', label: '回调记录', to: storageHooks.list, panel: EventList },
  { value: 'appKeys', label: 'App密钥', to: appKeys.list, panel: AppKeyList },
]

/** Webhooks of shops with the events they sent, and the keys of Apps. */
export const HookTab = () => <ListSwitch lists={LISTS} />
