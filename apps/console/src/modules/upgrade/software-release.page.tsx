import { softwareAllowlist, softwareRelease, softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { ReleaseCallsProvider, type ReleaseCalls } from './release.tsx'
import { ReleasePage } from './release-page.tsx'

// The calls for software packages have the same shape; only paths and permissions differ.
const SOFTWARE = {
  release: softwareRelease,
  task: softwareTask,
  white: softwareAllowlist,
} as ReleaseCalls

/** Release page of a software package version. */
export default function SoftwareReleasePage() {
  return (
    <ReleaseCallsProvider value={SOFTWARE}>
      <ReleasePage />
    </ReleaseCallsProvider>
  )
}
