import { FamilyProvider, FIRMWARE } from './family.ts'
import { VersionList } from './version-list.tsx'

/** Firmware versions. */
export default function OtaListPage() {
  return (
    <FamilyProvider value={FIRMWARE}>
      <VersionList />
    </FamilyProvider>
  )
}
