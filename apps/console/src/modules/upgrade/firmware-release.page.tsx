import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { ReleaseCallsProvider, type ReleaseCalls } from './release.tsx'
import { ReleasePage } from './release-page.tsx'

const FIRMWARE: ReleaseCalls = { release: otaRelease, task: otaTask, white: otaAllowlist }

/** Release page of a firmware version. */
export default function FirmwareReleasePage() {
  return (
    <ReleaseCallsProvider value={FIRMWARE}>
      <ReleasePage />
    </ReleaseCallsProvider>
  )
}
