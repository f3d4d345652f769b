import { softwareChoices, softwareRelease, softwareTask, softwareWhite } from '@oms/contract/software-release.ts'
import { CallsProvider, type ReleaseCalls } from './release-calls.ts'
import { ReleasePage } from './release-page.tsx'

// The same calls but for their addresses and rights.
const SOFTWARE = {
  release: softwareRelease,
  task: softwareTask,
  white: softwareWhite,
  choices: softwareChoices,
} as ReleaseCalls

/** The release of a version of general software. */
export default function SoftwareReleasePage() {
  return (
    <CallsProvider value={SOFTWARE}>
      <ReleasePage />
    </CallsProvider>
  )
}
