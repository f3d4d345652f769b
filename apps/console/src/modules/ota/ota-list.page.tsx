import { FamilyProvider } from './family.ts'
import { FIRMWARE } from './firmware-family.ts'
import { VersionList } from './version-list.tsx'

/** Firmware versions. */
export default function OtaListPage() {
  return (
    <FamilyProvider value={FIRMWARE}>
      <VersionList />
    </FamilyProvider>
  )
}
