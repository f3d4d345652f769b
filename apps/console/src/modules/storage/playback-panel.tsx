import { useTabState } from '#core/routing/tab.tsx'
import { ConsentList } from './consent-list.tsx'
import { ListSwitch } from './sales-cells.tsx'
import { ViewList } from './view-list.tsx'

const LISTS = [
  { value: 'consents', label: '查看授权' },
  { value: 'views', label: '查看记录' },
] as const

/** Lists of consents and of views by staff. */
export function PlaybackPanel() {
  const [list, setList] = useTabState<'consents' | 'views'>('playbackList', 'consents')
  return (
    <>
      <ListSwitch value={list} options={LISTS} onChange={setList} />
      {list === 'views' ? <ViewList /> : <ConsentList />}
    </>
  )
}
