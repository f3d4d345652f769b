import { ConsentList } from './consent-list.tsx'
import { ListSwitch } from '../list-switch.tsx'
import { ViewList } from './view-list.tsx'

const LISTS = [
  { value: 'consents', label: '查看授权', panel: ConsentList },
  { value: 'views', label: '查看记录', panel: ViewList },
]

/** Lists of consents and of views by staff. */
export const PlaybackPanel = () => <ListSwitch lists={LISTS} />
