import { voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { Tabs } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
import { Page } from '#kit/record/page.tsx'
import { VoiceList } from './voice-list.tsx'

const CloneList = lazyAfterRender(() => import('./clone-list.tsx'), 'CloneList')
const VIEWS = [
  { key: 'voices', label: '音色' },
  { key: 'clones', label: '克隆' },
]

/** Voices of text-to-speech models, and the cloned voices where the feature is on. */
export default function VoiceListPage() {
  const mayClone = useMayCall()(voiceClones.list)
  const { data } = useRead(voiceClones.feature, {}, { enabled: mayClone, quiet: true })
  const [view, setView] = useView('voices')
  const hasClones = mayClone && data?.isEnabled === true
  return (
    <Page>
      {hasClones && <Tabs activeKey={view} onChange={setView} items={VIEWS} tabBarStyle={{ margin: 0 }} />}
      {hasClones && view === 'clones' ? <CloneList /> : <VoiceList />}
    </Page>
  )
}
